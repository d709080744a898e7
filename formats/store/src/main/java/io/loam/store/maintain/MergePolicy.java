package io.loam.store.maintain;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;

/**
 * Which splits are merged, see {@link MergePlanner}. Documents are live ones.
 *
 * @param enabled whether splits are merged and purged at all
 * @param minLevelDocs splits below this are of the lowest level, whatever their size
 * @param mergeFactor fewer splits than this are not merged, unless they reach the target
 * @param maxMergeFactor most splits of one merge
 * @param maturationMs a split that was made this long ago waits for a full merge
 * @param splitDocsTarget nor is one of this many documents
 * @param maxMergeDocs most documents of one merge's inputs
 * @param maxMergeBytes most bytes of one merge's inputs
 * @param purgeMinDeleted a split with fewer deleted documents is not rewritten alone
 * @param purgeDeletedPpm nor one with a smaller share of deleted documents, in millionths
 * @param join whether segments are joined where that gives what indexing anew would
 */
public record MergePolicy(
        boolean enabled,
        long minLevelDocs,
        int mergeFactor,
        int maxMergeFactor,
        long maturationMs,
        long splitDocsTarget,
        long maxMergeDocs,
        long maxMergeBytes,
        long purgeMinDeleted,
        long purgeDeletedPpm,
        boolean join)
        implements Serializable {
    public static final MergePolicy DEFAULT =
            new MergePolicy(
                    true,
                    100_000,
                    10,
                    12,
                    Duration.ofHours(48).toMillis(),
                    10_000_000,
                    10_000_000,
                    1L << 30,
                    1_000,
                    300_000,
                    true);

    private static final long serialVersionUID = 1L;

    public MergePolicy {
        Settings.requireAtLeast("the merge factor", mergeFactor, 2);
        Settings.requireAtLeast("the largest merge factor", maxMergeFactor, mergeFactor);
        Settings.requireAtLeast("the documents of the lowest level", minLevelDocs, 1);
        Settings.requireAtLeast("the maturation in ms", maturationMs, 0);
        Settings.requireAtLeast("the target of documents per split", splitDocsTarget, 1);
        Settings.requireAtLeast("the most documents of a merge", maxMergeDocs, 1);
        Settings.requireAtLeast("the most bytes of a merge", maxMergeBytes, 1);
        Settings.requireAtLeast("the deleted documents of a purge", purgeMinDeleted, 1);
        Settings.requireAtLeast("the deleted share of a purge in millionths", purgeDeletedPpm, 0);
    }

    /**
     * The same with some settings given as text: {@code factor}, {@code max-factor}, {@code
     * min-level-docs}, {@code maturation-ms}, {@code target-docs}, {@code max-docs}, {@code
     * max-bytes}, {@code purge-min-deleted}, {@code purge-deleted-ppm}, {@code join}, {@code
     * enabled}.
     *
     * @throws IllegalArgumentException for a name or value that cannot be, naming it
     */
    public MergePolicy with(Map<String, String> settings) {
        Settings given = new Settings("merge", settings);
        MergePolicy policy =
                new MergePolicy(
                        given.flag("enabled", enabled),
                        given.number("min-level-docs", minLevelDocs),
                        given.count("factor", mergeFactor),
                        given.count("max-factor", maxMergeFactor),
                        given.number("maturation-ms", maturationMs),
                        given.number("target-docs", splitDocsTarget),
                        given.number("max-docs", maxMergeDocs),
                        given.number("max-bytes", maxMergeBytes),
                        given.number("purge-min-deleted", purgeMinDeleted),
                        given.number("purge-deleted-ppm", purgeDeletedPpm),
                        given.flag("join", join));
        given.requireNoOthers();
        return policy;
    }

    /** Merges that need so many splits, and take so many at most. */
    public MergePolicy withFactors(int factor, int maxFactor) {
        return new MergePolicy(
                enabled,
                minLevelDocs,
                factor,
                maxFactor,
                maturationMs,
                splitDocsTarget,
                maxMergeDocs,
                maxMergeBytes,
                purgeMinDeleted,
                purgeDeletedPpm,
                join);
    }

    public MergePolicy withLevels(long minDocs, long targetDocs) {
        return new MergePolicy(
                enabled,
                minDocs,
                mergeFactor,
                maxMergeFactor,
                maturationMs,
                targetDocs,
                maxMergeDocs,
                maxMergeBytes,
                purgeMinDeleted,
                purgeDeletedPpm,
                join);
    }

    /** Merges whose inputs are no larger. */
    public MergePolicy withBounds(long docs, long bytes) {
        return new MergePolicy(
                enabled,
                minLevelDocs,
                mergeFactor,
                maxMergeFactor,
                maturationMs,
                splitDocsTarget,
                docs,
                bytes,
                purgeMinDeleted,
                purgeDeletedPpm,
                join);
    }

    public MergePolicy withPurge(long minDeleted, long deletedPpm) {
        return new MergePolicy(
                enabled,
                minLevelDocs,
                mergeFactor,
                maxMergeFactor,
                maturationMs,
                splitDocsTarget,
                maxMergeDocs,
                maxMergeBytes,
                minDeleted,
                deletedPpm,
                join);
    }

    public MergePolicy withEnabled(boolean on) {
        return new MergePolicy(
                on,
                minLevelDocs,
                mergeFactor,
                maxMergeFactor,
                maturationMs,
                splitDocsTarget,
                maxMergeDocs,
                maxMergeBytes,
                purgeMinDeleted,
                purgeDeletedPpm,
                join);
    }

    public MergePolicy withJoin(boolean on) {
        return new MergePolicy(
                enabled,
                minLevelDocs,
                mergeFactor,
                maxMergeFactor,
                maturationMs,
                splitDocsTarget,
                maxMergeDocs,
                maxMergeBytes,
                purgeMinDeleted,
                purgeDeletedPpm,
                on);
    }
}
