package io.loam.flink.connector;

import io.loam.store.commit.CommitterOptions;

import org.apache.flink.configuration.ReadableConfig;

import javax.annotation.Nullable;

import java.io.Serializable;

/**
 * How commits are made, but for the owner of the lease, which is known only at run time.
 *
 * @param writer null for the job's name and the collection's
 */
record CommitSettings(
        @Nullable String writer,
        long leaseTtlMs,
        long maxCommitDelayMs,
        long stagingRetentionMs,
        long graceMs,
        boolean takeOver)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** By {@link CollectionSinkOptions}. */
    static CommitSettings of(ReadableConfig options) {
        return new CommitSettings(
                options.get(CollectionSinkOptions.WRITER_ID),
                options.get(CollectionSinkOptions.LEASE_TTL).toMillis(),
                options.get(CollectionSinkOptions.MAX_COMMIT_DELAY).toMillis(),
                options.get(CollectionSinkOptions.STAGING_RETENTION).toMillis(),
                options.get(CollectionSinkOptions.GC_GRACE).toMillis(),
                options.get(CollectionSinkOptions.TAKE_OVER));
    }

    CommitterOptions forOwner(String owner) {
        return CommitterOptions.of(owner)
                .withStaging(stagingRetentionMs, graceMs)
                .withMaxCommitDelayMs(maxCommitDelayMs)
                .withLeaseTtlMs(leaseTtlMs)
                .withTakeOver(takeOver);
    }
}
