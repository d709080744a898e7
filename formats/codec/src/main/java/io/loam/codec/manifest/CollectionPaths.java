package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.lance.DataFileName;

import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Where the objects of one collection live, and which names in the metastore are its own. Paths are
 * relative to the warehouse; a version in a name has 20 digits, so that names order like versions.
 */
public record CollectionPaths(long namespace, long collection) {
    private static final String MANIFESTS = "manifests/";
    private static final String MANIFEST_SUFFIX = ".pb";
    private static final int VERSION_DIGITS = 20;
    private static final int ULID_CHARS = 26;
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /** What an object below the Lance dataset's root is to garbage collection. */
    public enum LanceFile {
        /** Deleted once no retained version uses it. */
        COLLECTABLE,
        /** Manifest of a mainline version; kept. */
        MAINLINE_MANIFEST,
        /** Of a shape this build does not know; kept. */
        UNKNOWN
    }

    /** The prefix of every object but the key index. */
    public String root() {
        return "ns/"
                + Long.toUnsignedString(namespace)
                + "/collections/"
                + Long.toUnsignedString(collection)
                + "/";
    }

    /** Prefix of the Lance dataset. */
    public String lance() {
        return root() + "lance/";
    }

    /** A data file of the Lance dataset. */
    public String lanceData(String fileName) {
        return lance() + "data/" + fileName;
    }

    /** Manifest of a Lance version: detached if bit 63 is set, mainline otherwise. */
    public String lanceVersion(long version) {
        return lance() + lanceVersionFile(version);
    }

    /** Path of a version's manifest within a Lance dataset. */
    public static String lanceVersionFile(long version) {
        return "_versions/"
                + (version < 0
                        ? "d" + Long.toUnsignedString(version)
                        : padded(~version)) // 2^64 - 1 - version: newest first in a listing
                + ".manifest";
    }

    /** Prefix of a Lance index. */
    public String lanceIndex(String uuid) {
        return lance() + "_indices/" + uuid + "/";
    }

    /** Prefix of the manifests. */
    public String manifests() {
        return root() + MANIFESTS;
    }

    public String manifest(long version, Ulid ulid) {
        return manifests() + versioned(version, ulid) + MANIFEST_SUFFIX;
    }

    /** Prefix of the splits. */
    public String splits() {
        return root() + "text/splits/";
    }

    public String split(Ulid split) {
        return splits() + split + ".split";
    }

    public String deleteBitmap(Ulid split, Ulid ulid) {
        return root() + "text/deletes/" + split + "/" + ulid + ".bitmap";
    }

    /** The key changes of the commit that makes {@code version}. */
    public String pkDelta(long version, Ulid ulid) {
        return root() + "pkdelta/" + versioned(version, ulid) + ".pkd";
    }

    /** The dead letters of the commit that makes {@code version}. */
    public String deadLetters(long version, Ulid ulid) {
        return root() + "deadletters/" + versioned(version, ulid) + ".dlq";
    }

    /** A user operation too large for the manifest of {@code version}. */
    public String operation(long version, Ulid ulid) {
        return root() + "ops/" + versioned(version, ulid) + ".op";
    }

    /** Prefix of the hot artifacts. */
    public String hot() {
        return root() + "hot/";
    }

    /** Prefix of a hot artifact built from manifest version {@code sourceVersion}. */
    public String hotArtifact(String column, long sourceVersion, Ulid ulid) {
        return root() + "hot/hnsw/" + column + "/" + versioned(sourceVersion, ulid) + "/";
    }

    /** One chunk of a hot artifact's file. */
    public static String hotChunk(String artifactPrefix, String file, int chunk) {
        return artifactPrefix + "files/" + file + "." + String.format("%06d", chunk);
    }

    /** Prefix of what writers staged. */
    public String staged() {
        return root() + "staged/";
    }

    public String stagedDescriptor(Ulid unit) {
        return staged() + unit + ".stg";
    }

    public String stagedKeys(Ulid unit) {
        return staged() + unit + ".keys";
    }

    public String stagedDeadLetters(Ulid unit) {
        return staged() + unit + ".dlp";
    }

    /** Prefix of a key index kept in the object store; outside {@link #root()}. */
    public String keyIndex() {
        return "ns/"
                + Long.toUnsignedString(namespace)
                + "/pk/collection-"
                + Long.toUnsignedString(collection)
                + "/";
    }

    /** Database root in {@link #keyIndex()}. */
    public String keyIndexDatabase() {
        return keyIndex() + "db";
    }

    /** Key of the pointer to the live manifest. */
    public String pointerKey() {
        return "collection/" + Long.toUnsignedString(collection);
    }

    /** Key of the lease of whoever applies records. */
    public String leaseKey() {
        return TaskKeys.lease(TaskKeys.apply(collection));
    }

    /** Logical name of the collection's implicit stream. */
    public String streamName(String collectionName) {
        return "_collection." + collectionName + "." + Long.toUnsignedString(collection);
    }

    /** Version of the manifest at {@code path}, or nothing if it is not a manifest's path. */
    public static OptionalLong manifestVersion(String path) {
        String name = lastSegment(path);
        int dash = VERSION_DIGITS;
        if (name.length() != dash + 1 + ULID_CHARS + MANIFEST_SUFFIX.length()
                || name.charAt(dash) != '-'
                || !name.endsWith(MANIFEST_SUFFIX)
                || ulid(name.substring(dash + 1, dash + 1 + ULID_CHARS)) == null) {
            return OptionalLong.empty();
        }
        return unsigned(name.substring(0, dash));
    }

    /**
     * When an object was made: the time of the ULID in its name, else {@code lastModifiedMs}. Names
     * below the Lance dataset are Lance's own and never read as ULIDs.
     */
    public long objectTimeMs(String path, long lastModifiedMs) {
        if (path.startsWith(lance())) {
            return lastModifiedMs;
        }
        String name = lastSegment(path);
        int dot = name.indexOf('.');
        String stem = dot < 0 ? name : name.substring(0, dot);
        Ulid ulid = ulid(stem.substring(stem.lastIndexOf('-') + 1));
        return ulid == null ? lastModifiedMs : ulid.timeMs();
    }

    /** Classifies a path relative to {@link #lance()}. */
    public static LanceFile lanceFile(String relativePath) {
        int slash = relativePath.indexOf('/');
        if (slash < 0) {
            return collectableIf(DataFileName.isOfRowIds(relativePath));
        }
        String name = relativePath.substring(slash + 1);
        boolean flat = name.indexOf('/') < 0;
        switch (relativePath.substring(0, slash)) {
            case "data":
                return collectableIf(flat && hasStem(name, ".lance"));
            case "_deletions":
                return collectableIf(flat && (hasStem(name, ".arrow") || hasStem(name, ".bin")));
            case "_transactions":
                return collectableIf(flat && hasStem(name, ".txn"));
            case "_indices":
                int end = name.indexOf('/');
                return collectableIf(
                        end >= 0
                                && end + 1 < name.length()
                                && UUID.matcher(name.substring(0, end)).matches());
            case "_versions":
                return flat ? versionFile(name) : LanceFile.UNKNOWN;
            default:
                return LanceFile.UNKNOWN;
        }
    }

    private static LanceFile versionFile(String name) {
        if (!hasStem(name, ".manifest")) {
            return LanceFile.UNKNOWN;
        }
        String stem = name.substring(0, name.length() - ".manifest".length());
        if (stem.startsWith("d")) {
            OptionalLong version = unsigned(stem.substring(1));
            return collectableIf(version.isPresent() && version.getAsLong() < 0);
        }
        return stem.length() == VERSION_DIGITS && unsigned(stem).isPresent()
                ? LanceFile.MAINLINE_MANIFEST
                : LanceFile.UNKNOWN;
    }

    private static LanceFile collectableIf(boolean condition) {
        return condition ? LanceFile.COLLECTABLE : LanceFile.UNKNOWN;
    }

    private static boolean hasStem(String name, String suffix) {
        return name.endsWith(suffix) && name.length() > suffix.length();
    }

    private static String lastSegment(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String versioned(long version, Ulid ulid) {
        return padded(version) + "-" + ulid;
    }

    private static String padded(long value) {
        String digits = Long.toUnsignedString(value);
        return "0".repeat(VERSION_DIGITS - digits.length()) + digits;
    }

    private static OptionalLong unsigned(String text) {
        if (!DIGITS.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseUnsignedLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // beyond 2^64 - 1
        }
    }

    private static Ulid ulid(String text) {
        try {
            return Ulid.parse(text);
        } catch (CorruptException e) {
            return null;
        }
    }
}
