package io.loam.jobs.corrupt;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A kind of object.
 *
 * @param name as the report has it
 * @param checked whether every byte of it that is read is under a checksum of ours or of the file's
 */
record ObjectKind(String name, Pattern path, boolean checked) {
    static final ObjectKind COLLECTION_MANIFEST = of("collection manifest", "manifests/.*", true);

    static final List<ObjectKind> ALL =
            List.of(
                    COLLECTION_MANIFEST,
                    of("row version", "lance/_versions/d.*", true),
                    of("first row version", "lance/_versions/\\d.*", false),
                    of("deletion file", "lance/_deletions/.*", true),
                    of("data file", "lance/data/.*", true),
                    of("Lance's transaction", "lance/_transactions/.*", false),
                    of(
                            "Lance's hint of a version",
                            "lance/_versions/latest_version_hint.json",
                            false),
                    of("split", "text/splits/.*", true),
                    of("delete bitmap", "text/deletes/.*", true),
                    of("PK delta", "pkdelta/.*", true),
                    of("dead letters", "deadletters/.*", true),
                    of("unit descriptor", "staged/.*\\.stg", true),
                    of("key list", "staged/.*\\.keys", true),
                    of("dead-letter part", "staged/.*\\.dlp", true));

    private static ObjectKind of(String name, String path, boolean checked) {
        return new ObjectKind(name, Pattern.compile(".*/collections/\\d+/" + path), checked);
    }

    static ObjectKind of(String object) {
        return ALL.stream()
                .filter(kind -> kind.path().matcher(object).matches())
                .findFirst()
                .orElseThrow(() -> new AssertionError(object + " is of no known kind"));
    }

    boolean isStaged() {
        return path.pattern().contains("staged/");
    }

    /**
     * Whether a reader or a writer has a use for it; the others are for garbage collection only.
     */
    boolean isRead() {
        return !name.startsWith("Lance's") && !name.equals("unit descriptor");
    }
}
