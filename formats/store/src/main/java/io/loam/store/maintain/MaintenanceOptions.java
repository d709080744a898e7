package io.loam.store.maintain;

import io.loam.store.commit.CommitterOptions;
import io.loam.store.gc.GcOptions;

import java.io.Serializable;

/**
 * How side jobs behave; all times are milliseconds.
 *
 * @param owner whom leases name; the history names it up to a slash, what follows tells processes
 *     of the same name apart
 * @param maxRebases how often a commit that lost its swap is planned anew
 * @param maxCommitDelayMs a commit that took longer does not publish; counts from its first attempt
 * @param stagingRetentionMs how long uploaded files that nothing names are kept; work is published
 *     within half of it or not at all
 * @param leaseTtlMs how long an unextended lease stands in the way of another owner
 * @param rowsPerRead rows taken from the row store at once
 */
public record MaintenanceOptions(
        String owner,
        MergePolicy merge,
        CompactionPolicy compaction,
        IndexPolicy index,
        HotPolicy hot,
        int maxRebases,
        long maxCommitDelayMs,
        long stagingRetentionMs,
        long leaseTtlMs,
        int rowsPerRead)
        implements Serializable {
    public static final int DEFAULT_MAX_REBASES = 5;
    public static final int DEFAULT_ROWS_PER_READ = 1_000;

    private static final long serialVersionUID = 1L;

    public MaintenanceOptions {
        if (owner.isEmpty()) {
            throw new IllegalArgumentException("the owner of maintenance leases must have a name");
        }
        Settings.requireAtLeast("the number of rebases", maxRebases, 0);
        Settings.requireAtLeast("the longest commit in ms", maxCommitDelayMs, 1);
        Settings.requireAtLeast("the lease's time to live in ms", leaseTtlMs, 1);
        Settings.requireAtLeast("the rows of a read", rowsPerRead, 1);
        if (maxCommitDelayMs > GcOptions.LONGEST_COMMIT_MS) {
            throw new IllegalArgumentException(
                    "the longest commit must not exceed the "
                            + GcOptions.LONGEST_COMMIT_MS
                            + " ms that garbage collection counts on, not "
                            + maxCommitDelayMs);
        }
        if (stagingRetentionMs <= 2 * maxCommitDelayMs) {
            throw new IllegalArgumentException(
                    "the staging retention ("
                            + stagingRetentionMs
                            + " ms) must exceed the longest commit twice ("
                            + 2 * maxCommitDelayMs
                            + " ms)");
        }
    }

    public static MaintenanceOptions of(String owner) {
        return new MaintenanceOptions(
                owner,
                MergePolicy.DEFAULT,
                CompactionPolicy.DEFAULT,
                IndexPolicy.DEFAULT,
                HotPolicy.DEFAULT,
                DEFAULT_MAX_REBASES,
                GcOptions.LONGEST_COMMIT_MS,
                CommitterOptions.DEFAULT_STAGING_RETENTION_MS,
                CommitterOptions.DEFAULT_LEASE_TTL_MS,
                DEFAULT_ROWS_PER_READ);
    }

    /** Whom the history names. */
    public String actor() {
        int slash = owner.indexOf('/');
        return slash < 1 ? owner : owner.substring(0, slash);
    }

    public MaintenanceOptions withOwner(String name) {
        return new MaintenanceOptions(
                name,
                merge,
                compaction,
                index,
                hot,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withMerge(MergePolicy policy) {
        return new MaintenanceOptions(
                owner,
                policy,
                compaction,
                index,
                hot,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withCompaction(CompactionPolicy policy) {
        return new MaintenanceOptions(
                owner,
                merge,
                policy,
                index,
                hot,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withIndex(IndexPolicy policy) {
        return new MaintenanceOptions(
                owner,
                merge,
                compaction,
                policy,
                hot,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withHot(HotPolicy policy) {
        return new MaintenanceOptions(
                owner,
                merge,
                compaction,
                index,
                policy,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withMaxRebases(int most) {
        return new MaintenanceOptions(
                owner,
                merge,
                compaction,
                index,
                hot,
                most,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withMaxCommitDelayMs(long delayMs) {
        return new MaintenanceOptions(
                owner,
                merge,
                compaction,
                index,
                hot,
                maxRebases,
                delayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rowsPerRead);
    }

    public MaintenanceOptions withRowsPerRead(int rows) {
        return new MaintenanceOptions(
                owner,
                merge,
                compaction,
                index,
                hot,
                maxRebases,
                maxCommitDelayMs,
                stagingRetentionMs,
                leaseTtlMs,
                rows);
    }
}
