package io.loam.codec.lance;

import io.loam.codec.CorruptException;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The body of a {@code .bin} deletion file: offsets of deleted physical rows as a 32-bit Roaring
 * bitmap in the portable format.
 */
public final class LanceDeletions {
    private LanceDeletions() {}

    public static byte[] encode(RoaringBitmap offsets) {
        ByteBuffer out = ByteBuffer.allocate(offsets.serializedSizeInBytes());
        offsets.serialize(out);
        return out.array();
    }

    /**
     * @throws CorruptException unless the bytes hold {@code count} offsets below {@code rows}
     */
    public static RoaringBitmap decode(byte[] bytes, long count, long rows, String path) {
        RoaringBitmap offsets = new RoaringBitmap();
        try {
            offsets.deserialize(ByteBuffer.wrap(bytes));
        } catch (IOException | RuntimeException e) {
            throw new CorruptException(path + ": no Roaring bitmap: " + e, e);
        }
        if (offsets.serializedSizeInBytes() != bytes.length) {
            throw new CorruptException(path + ": bytes are left over after the bitmap");
        }
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
