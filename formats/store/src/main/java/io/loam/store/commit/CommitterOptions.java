package io.loam.store.commit;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.time.Duration;

/**
 * How a committer behaves; all times are milliseconds.
 *
 * @param owner who holds the collection's apply lease: writer id, slash, incarnation
 * @param leaseTtlMs how long an unextended lease stands in the way of another owner
 * @param maxCommitDelayMs an attempt that took longer does not publish
 * @param stagingRetentionMs how long staged units are kept from the garbage collector
 * @param graceMs age below which the garbage collector deletes nothing
 * @param takeOver take the lease whoever holds it
 * @param actor whom the history names; null for the committable's job
 */
public record CommitterOptions(
        String owner,
        long leaseTtlMs,
        long maxCommitDelayMs,
        long stagingRetentionMs,
        long graceMs,
        boolean takeOver,
        @Nullable String actor)
        implements Serializable {
    public static final long DEFAULT_LEASE_TTL_MS = 30_000;
    public static final long DEFAULT_MAX_COMMIT_DELAY_MS = Duration.ofMinutes(10).toMillis();
    public static final long DEFAULT_STAGING_RETENTION_MS = Duration.ofDays(7).toMillis();
    public static final long DEFAULT_GRACE_MS = Duration.ofHours(1).toMillis();

    private static final long serialVersionUID = 1L;

    public CommitterOptions {
        if (owner.isEmpty()) {
            throw new IllegalArgumentException("the owner of the apply lease must have a name");
        }
        requirePositive("lease TTL", leaseTtlMs);
        requirePositive("longest commit", maxCommitDelayMs);
        if (maxCommitDelayMs >= graceMs) {
            throw new IllegalArgumentException(
                    "the longest commit ("
                            + maxCommitDelayMs
                            + " ms) must stay below the garbage collector's grace ("
                            + graceMs
                            + " ms)");
        }
        if (stagingRetentionMs <= graceMs) {
            throw new IllegalArgumentException(
                    "staging retention ("
                            + stagingRetentionMs
                            + " ms) must exceed the garbage collector's grace ("
                            + graceMs
                            + " ms)");
        }
    }

    private static void requirePositive(String what, long ms) {
        if (ms < 1) {
            throw new IllegalArgumentException("the " + what + " must be positive, not " + ms);
        }
    }

    public static CommitterOptions of(String owner) {
        return new CommitterOptions(
                owner,
                DEFAULT_LEASE_TTL_MS,
                DEFAULT_MAX_COMMIT_DELAY_MS,
                DEFAULT_STAGING_RETENTION_MS,
                DEFAULT_GRACE_MS,
                false,
                null);
    }

    public CommitterOptions withLeaseTtlMs(long ttlMs) {
        return new CommitterOptions(
                owner, ttlMs, maxCommitDelayMs, stagingRetentionMs, graceMs, takeOver, actor);
    }

    public CommitterOptions withMaxCommitDelayMs(long delayMs) {
        return new CommitterOptions(
                owner, leaseTtlMs, delayMs, stagingRetentionMs, graceMs, takeOver, actor);
    }

    public CommitterOptions withStaging(long retentionMs, long newGraceMs) {
        return new CommitterOptions(
                owner, leaseTtlMs, maxCommitDelayMs, retentionMs, newGraceMs, takeOver, actor);
    }

    public CommitterOptions withTakeOver(boolean take) {
        return new CommitterOptions(
                owner, leaseTtlMs, maxCommitDelayMs, stagingRetentionMs, graceMs, take, actor);
    }
}
