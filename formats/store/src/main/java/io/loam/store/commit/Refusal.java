package io.loam.store.commit;

import java.util.Map;
import java.util.stream.Collectors;

/** Words for committables: which one, what it covers, what to do when it is refused. */
final class Refusal {
    private static final int MOST_PARTITIONS = 32;

    private Refusal() {}

    static CommitRefusedException of(CollectionCommittable committable, String reason) {
        return new CommitRefusedException(
                describe(committable)
                        + " cannot be published: "
                        + reason
                        + ". Not published: "
                        + (committable.progress().isEmpty()
                                ? "changes of a changelog without offsets"
                                : "offsets " + offsets(committable.progress()))
                        + ". Start the job without state (flink run without"
                        + " --fromSavepoint; bin/loam apply always does): it goes on"
                        + (committable.mode() == CommitMode.STREAM
                                ? " at the collection's applied offsets and loses nothing"
                                : " with what its source still delivers"),
                committable.progress());
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
