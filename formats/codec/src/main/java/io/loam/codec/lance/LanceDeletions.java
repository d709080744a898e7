package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.Crc32c;
import io.loam.codec.RoaringFormat;
import io.loam.codec.proto.LanceManifestProto.DeletionFile;

import org.roaringbitmap.RoaringBitmap;

/**
 * The body of a {@code .bin} deletion file: offsets of deleted physical rows as a 32-bit Roaring
 * bitmap in the portable format.
 */
public final class LanceDeletions {
    /** Type of a deletion file that is a Roaring bitmap, in Lance's message. */
    static final int ROARING = 1;

    private LanceDeletions() {}

    public static byte[] encode(RoaringBitmap offsets) {
        return RoaringFormat.encode(offsets);
    }

    /**
     * The offsets in a file as a manifest describes it. Cardinality and order alone would not
     * notice an offset that turned into another.
     */
    static RoaringBitmap decode(byte[] bytes, DeletionFile file, long rows, String path) {
        int actual = Crc32c.of(bytes);
        if (file.hasCrc32C() && file.getCrc32C() != actual) {
            throw new CorruptException(
                    String.format(
                            "%s: crc32c is %08x, expected %08x", path, actual, file.getCrc32C()));
        }
        return decode(bytes, file.getNumDeletedRows(), rows, path);
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
