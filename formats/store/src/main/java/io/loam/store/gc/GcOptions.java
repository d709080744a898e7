package io.loam.store.gc;

import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitterOptions;

import java.io.Serializable;

/**
 * How garbage is collected; all times are milliseconds.
 *
 * @param retention which superseded manifests stay
 * @param graceMs age below which nothing is deleted; must exceed every commit's longest duration
 *     and the longest query
 * @param stagingRetentionMs how long a unit that was not published is kept
 * @param maxDeletes most deletes of one pass
 */
public record GcOptions(Retention retention, long graceMs, long stagingRetentionMs, int maxDeletes)
        implements Serializable {
    public static final int DEFAULT_MAX_DELETES = 1000;
    public static final GcOptions DEFAULT =
            new GcOptions(
                    Retention.DEFAULT,
                    CommitterOptions.DEFAULT_GRACE_MS,
                    CommitterOptions.DEFAULT_STAGING_RETENTION_MS,
                    DEFAULT_MAX_DELETES);

    /** Commits of maintenance and index builds may take this long; all others less. */
    public static final long LONGEST_COMMIT_MS = 30 * 60_000;

    private static final long serialVersionUID = 1L;

    public GcOptions {
        if (graceMs <= LONGEST_COMMIT_MS) {
            throw new IllegalArgumentException(
                    "the grace ("
                            + graceMs
                            + " ms) must exceed the longest commit ("
                            + LONGEST_COMMIT_MS
                            + " ms)");
        }
        if (stagingRetentionMs <= graceMs) {
            throw new IllegalArgumentException(
                    "the staging retention ("
                            + stagingRetentionMs
                            + " ms) must exceed the grace ("
                            + graceMs
                            + " ms)");
        }
        if (maxDeletes < 1) {
            throw new IllegalArgumentException(
                    "a pass must be allowed a delete, not " + maxDeletes);
        }
    }

    public GcOptions withMaxDeletes(int most) {
        return new GcOptions(retention, graceMs, stagingRetentionMs, most);
    }
}
