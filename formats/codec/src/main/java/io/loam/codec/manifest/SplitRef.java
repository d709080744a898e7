package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.io.Serializable;
import java.util.List;

/**
 * A split as a manifest names it. Documents are numbered from 0 in the order of {@code ranges}.
 *
 * @param deleteBitmap path of the split's delete bitmap, empty for none
 * @param footerCrc32c crc32c of the footer's bytes; 0 when the writer did not give it
 * @param placeholderCount documents without content among the deleted ones, which a merge put where
 *     rows are gone, so that the ranges stay few
 */
public record SplitRef(
        Ulid ulid,
        long docCount,
        long deletedCount,
        long sizeBytes,
        long footerStart,
        long footerEnd,
        List<RowIdRange> ranges,
        String deleteBitmap,
        long schemaVersion,
        long createdAtMs,
        int mergeOps,
        int footerCrc32c,
        long placeholderCount)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public SplitRef {
        ranges = List.copyOf(ranges);
    }

    /** A split without placeholders. */
    public SplitRef(
            Ulid ulid,
            long docCount,
            long deletedCount,
            long sizeBytes,
            long footerStart,
            long footerEnd,
            List<RowIdRange> ranges,
            String deleteBitmap,
            long schemaVersion,
            long createdAtMs,
            int mergeOps,
            int footerCrc32c) {
        this(
                ulid,
                docCount,
                deletedCount,
                sizeBytes,
                footerStart,
                footerEnd,
                ranges,
                deleteBitmap,
                schemaVersion,
                createdAtMs,
                mergeOps,
                footerCrc32c,
                0);
    }

    public long liveCount() {
        return docCount - deletedCount;
    }

    public SplitRef withDeletes(long count, String path) {
        return new SplitRef(
                ulid,
                docCount,
                count,
                sizeBytes,
                footerStart,
                footerEnd,
                ranges,
                path,
                schemaVersion,
                createdAtMs,
                mergeOps,
                footerCrc32c,
                placeholderCount);
    }
}
