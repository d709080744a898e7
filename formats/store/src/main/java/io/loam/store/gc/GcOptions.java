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
 * @param maxDeletes most deletes of one pass below one root
 * @param maxClockSkewMs how much clocks may differ that ages are taken by, the object store's
 *     foremost; whatever ends by the clock ends so much later for the collector
 */
public record GcOptions(
        Retention retention,
        long graceMs,
        long stagingRetentionMs,
        int maxDeletes,
        long maxClockSkewMs)
        implements Serializable {
    public static final int DEFAULT_MAX_DELETES = 1000;
    public static final long DEFAULT_MAX_CLOCK_SKEW_MS = 5 * 60_000;
    public static final GcOptions DEFAULT =
            new GcOptions(
                    Retention.DEFAULT,
                    CommitterOptions.DEFAULT_GRACE_MS,
                    CommitterOptions.DEFAULT_STAGING_RETENTION_MS,
                    DEFAULT_MAX_DELETES,
                    DEFAULT_MAX_CLOCK_SKEW_MS);

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
        if (retention.retentionMs() < graceMs) {
            throw new IllegalArgumentException(
                    "superseded versions must stay for the grace ("
                            + graceMs
                            + " ms) at least, as queries may still read them, not for "
                            + retention.retentionMs()
                            + " ms");
        }
        if (maxClockSkewMs < 0) {
            throw new IllegalArgumentException(
                    "the clock skew must not be negative: " + maxClockSkewMs + " ms");
        }
        if (maxDeletes < 1) {
            throw new IllegalArgumentException(
                    "a pass must be allowed a delete, not " + maxDeletes);
        }
    }

    public GcOptions withMaxDeletes(int most) {
        return new GcOptions(retention, graceMs, stagingRetentionMs, most, maxClockSkewMs);
    }

    public GcOptions withRetention(Retention other) {
        return new GcOptions(other, graceMs, stagingRetentionMs, maxDeletes, maxClockSkewMs);
    }

    public GcOptions withGraceMs(long otherMs) {
        return new GcOptions(retention, otherMs, stagingRetentionMs, maxDeletes, maxClockSkewMs);
    }

    public GcOptions withMaxClockSkewMs(long otherMs) {
        return new GcOptions(retention, graceMs, stagingRetentionMs, maxDeletes, otherMs);
    }

    /** The time by which the collector decides what has ended. */
    long horizonMs(long clockMs) {
        return clockMs - maxClockSkewMs;
    }
}
