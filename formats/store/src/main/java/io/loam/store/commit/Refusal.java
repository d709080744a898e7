package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;

import java.util.Map;
import java.util.stream.Collectors;

/** Words for committables: which one, what it covers, what to do when it is refused. */
final class Refusal {
    private static final int MOST_PARTITIONS = 32;

    private Refusal() {}

    static CommitRefusedException of(CollectionCommittable committable, String reason) {
        return refused(
                describe(committable) + " cannot be published: " + reason,
                committable.progress(),
                committable.mode());
    }

    /**
     * Of restored state that is ahead of the collection.
     *
     * @param last commit the state stands on
     * @param missing offsets it has staged that are not applied; empty in direct mode
     */
    static CommitRefusedException ofState(
            String last, CollectionManifest live, Map<Integer, OffsetRange> missing) {
        String stands = ApplyProperties.lastCommit(live.properties());
        return refused(
                "the restored state is ahead of the collection: its row ids stand on commit "
                        + last
                        + ", which version "
                        + live.version()
                        + " does not hold; it stands on "
                        + (stands.isEmpty() ? "no commit" : "commit " + stands),
                missing,
                missing.isEmpty() ? CommitMode.DIRECT : CommitMode.STREAM);
    }

    private static CommitRefusedException refused(
            String why, Map<Integer, OffsetRange> progress, CommitMode mode) {
        return new CommitRefusedException(
                why
                        + ". Not published: "
                        + (progress.isEmpty()
                                ? "changes of a changelog without offsets"
                                : "offsets " + offsets(progress))
                        + ". Start the job without state (flink run without"
                        + " --fromSavepoint; bin/loam apply always does): it goes on"
                        + (mode == CommitMode.STREAM
                                ? " at the collection's applied offsets and loses nothing"
                                : " with what its source still delivers"),
                progress);
    }

    static String describe(CollectionCommittable committable) {
        return "commit "
                + committable.commitId()
                + " (checkpoint "
                + committable.checkpoint()
                + " of incarnation "
                + committable.incarnation()
                + ")";
    }

    /** For example {@code p0 10..25, p3 0..7}; the second number is not included. */
    static String offsets(Map<Integer, OffsetRange> progress) {
        String listed =
                progress.entrySet().stream()
                        .limit(MOST_PARTITIONS)
                        .map(Refusal::range)
                        .collect(Collectors.joining(", "));
        int more = progress.size() - MOST_PARTITIONS;
        return more > 0 ? listed + " and " + more + " more partitions" : listed;
    }

    private static String range(Map.Entry<Integer, OffsetRange> entry) {
        return "p"
                + Integer.toUnsignedString(entry.getKey())
                + " "
                + Long.toUnsignedString(entry.getValue().from())
                + ".."
                + Long.toUnsignedString(entry.getValue().to());
    }
}
