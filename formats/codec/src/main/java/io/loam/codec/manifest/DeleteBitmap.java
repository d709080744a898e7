package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import org.roaringbitmap.RoaringBitmap;

/**
 * All deleted documents of one split.
 *
 * @param docCount documents of the split, at most 2^32 - 1
 * @param deleted document ids, each below {@code docCount}; not to be changed
 */
public record DeleteBitmap(Ulid split, long docCount, RoaringBitmap deleted) {
    private static final long MAX_DOC_COUNT = (1L << 32) - 1;

    public DeleteBitmap {
        if (docCount < 0 || docCount > MAX_DOC_COUNT) {
            throw new IllegalArgumentException(
                    "a delete bitmap covers 0 to 2^32 - 1 documents, not "
                            + Long.toUnsignedString(docCount));
        }
        if (!deleted.isEmpty() && Integer.toUnsignedLong(deleted.last()) >= docCount) {
            throw new IllegalArgumentException(
                    "deleted document "
                            + Integer.toUnsignedString(deleted.last())
                            + " is not below the document count "
                            + docCount);
        }
    }

    public long cardinality() {
        return deleted.getLongCardinality();
    }
}
