package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.RoaringFormat;
import io.loam.codec.Ulid;

import org.roaringbitmap.RoaringBitmap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Delete bitmaps, envelope {@code OPDB}. Body:
 *
 * <pre>
 * split         16 bytes, ULID big-endian
 * doc count     u32 LE
 * cardinality   u64 LE
 * deleted       32-bit Roaring, portable form, document ids
 * </pre>
 */
public final class DeleteBitmapCodec {
    private static final int ULID_BYTES = 16;
    private static final int HEADER_BYTES = ULID_BYTES + Integer.BYTES + Long.BYTES;

    private DeleteBitmapCodec() {}

    public static byte[] encode(DeleteBitmap bitmap) {
        byte[] deleted = RoaringFormat.encode(bitmap.deleted());
        ByteBuffer body =
                ByteBuffer.allocate(HEADER_BYTES + deleted.length).order(ByteOrder.LITTLE_ENDIAN);
        body.put(bitmap.split().toBytes())
                .putInt((int) bitmap.docCount())
                .putLong(bitmap.cardinality())
                .put(deleted);
        return Envelope.wrap(Envelope.Type.OPDB, body.array());
    }

    /**
     * Reads the bitmap of a split.
     *
     * @throws CorruptException if the bytes are damaged or belong to another split
     */
    public static DeleteBitmap decode(byte[] object, String path, SplitRef split) {
        DeleteBitmap bitmap = decode(object, path);
        if (!bitmap.split().equals(split.ulid())) {
            throw corrupt(path, "split", bitmap.split(), split.ulid());
        }
        if (bitmap.docCount() != split.docCount()) {
            throw corrupt(path, "doc count", bitmap.docCount(), split.docCount());
        }
        return bitmap;
    }

    /**
     * Reads a bitmap by itself.
     *
     * @throws CorruptException if the bytes are damaged
     */
    public static DeleteBitmap decode(byte[] object, String path) {
        byte[] body = Envelope.unwrap(Envelope.Type.OPDB, object, path);
        if (body.length < HEADER_BYTES) {
            throw corrupt(path, "bytes of body", body.length, "at least " + HEADER_BYTES);
        }
        ByteBuffer header = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        byte[] split = new byte[ULID_BYTES];
        header.get(split);
        long docCount = Integer.toUnsignedLong(header.getInt());
        long cardinality = header.getLong();
        RoaringBitmap deleted = RoaringFormat.decode(body, HEADER_BYTES, path);
        if (deleted.getLongCardinality() != cardinality) {
            throw corrupt(
                    path,
                    "deleted documents",
                    deleted.getLongCardinality(),
                    Long.toUnsignedString(cardinality));
        }
        if (!deleted.isEmpty() && Integer.toUnsignedLong(deleted.last()) >= docCount) {
            throw corrupt(
                    path,
                    "deleted document",
                    Integer.toUnsignedString(deleted.last()),
                    "below " + docCount);
        }
        return new DeleteBitmap(Ulid.fromBytes(split), docCount, deleted);
    }

    private static CorruptException corrupt(
            String path, String what, Object found, Object expected) {
        return new CorruptException(
                path + ": delete bitmap: " + what + ": found " + found + ", expected " + expected);
    }
}
