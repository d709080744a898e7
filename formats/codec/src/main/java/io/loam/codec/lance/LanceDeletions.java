package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.RoaringFormat;

import org.roaringbitmap.RoaringBitmap;

/**
 * The body of a {@code .bin} deletion file: offsets of deleted physical rows as a 32-bit Roaring
 * bitmap in the portable format.
 */
public final class LanceDeletions {
    private LanceDeletions() {}

    public static byte[] encode(RoaringBitmap offsets) {
        return RoaringFormat.encode(offsets);
    }

    /**
     * @throws CorruptException unless the bytes hold {@code count} offsets below {@code rows}
     */
    public static RoaringBitmap decode(byte[] bytes, long count, long rows, String path) {
        RoaringBitmap offsets = RoaringFormat.decode(bytes, 0, path);
        if (offsets.getLongCardinality() != count) {
            throw new CorruptException(
                    path
                            + ": "
                            + offsets.getLongCardinality()
                            + " deleted rows, the manifest says "
                            + count);
        }
        if (!offsets.isEmpty() && (offsets.last() & 0xffffffffL) >= rows) {
            throw new CorruptException(
                    path + ": an offset beyond the fragment's " + rows + " rows");
        }
        return offsets;
    }
}
