package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import java.io.Serializable;
import java.util.List;

/**
 * A split as a manifest names it. Documents are numbered from 0 in the order of {@code ranges}.
 *
 * @param deleteBitmap path of the split's delete bitmap, empty for none
 * @param footerCrc32c crc32c of the footer's bytes; 0 when the writer did not give it
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
        int footerCrc32c)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public SplitRef {
        ranges = List.copyOf(ranges);
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
                footerCrc32c);
    }
}
