package io.loam.codec.hot;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.RoaringFormat;

import org.roaringbitmap.RoaringBitmap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The rows a hot artifact was built from, envelope {@code OPHC}. Body:
 *
 * <pre>
 * cardinality   u64 LE
 * rows          64-bit Roaring, portable form: u64 LE bitmaps;
 *               for each, ascending: u32 LE high half, 32-bit Roaring of the low halves
 * </pre>
 *
 * An empty bitmap is not written, and not read.
 */
public final class HotCoverageCodec {
    private static final int HEADER_BYTES = 2 * Long.BYTES;

    /** High half and the smallest bitmap. */
    private static final int MIN_HALF_BYTES = 2 * Integer.BYTES;

    private HotCoverageCodec() {}

    public static byte[] encode(RowIdSet rows) {
        Map<Integer, byte[]> halves = new LinkedHashMap<>();
        rows.halves().forEach((high, lows) -> halves.put(high, RoaringFormat.encode(lows)));
        int bytes = halves.values().stream().mapToInt(lows -> Integer.BYTES + lows.length).sum();
        ByteBuffer body =
                ByteBuffer.allocate(HEADER_BYTES + bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(rows.count())
                        .putLong(halves.size());
        halves.forEach((high, lows) -> body.putInt(high).put(lows));
        return Envelope.wrap(Envelope.Type.OPHC, body.array());
    }

    /**
     * @throws CorruptException if the bytes are damaged
     */
    public static RowIdSet decode(byte[] object, String path) {
        byte[] bytes = Envelope.unwrap(Envelope.Type.OPHC, object, path);
        ByteBuffer body = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER_BYTES) {
            throw corrupt(path, "bytes of body", bytes.length, "at least " + HEADER_BYTES);
        }
        long cardinality = body.getLong();
        long halves = body.getLong();
        if (halves < 0 || halves > body.remaining() / MIN_HALF_BYTES) {
            throw corrupt(
                    path,
                    "bitmaps",
                    Long.toUnsignedString(halves),
                    "as many as " + body.remaining() + " bytes can hold");
        }
        RowIdSet rows = new RowIdSet();
        long before = -1;
        for (long i = 0; i < halves; i++) {
            if (body.remaining() < MIN_HALF_BYTES) {
                throw corrupt(path, "bytes of bitmap " + i, body.remaining(), "more");
            }
            long high = Integer.toUnsignedLong(body.getInt());
            RoaringBitmap lows = RoaringFormat.decodeNext(body, path);
            if (high <= before || lows.isEmpty()) {
                throw corrupt(
                        path,
                        "bitmap " + i,
                        "high half " + high + " with " + lows.getLongCardinality() + " rows",
                        "some rows above high half " + before);
            }
            before = high;
            rows.put((int) high, lows);
        }
        if (body.hasRemaining()) {
            throw corrupt(path, "bytes after the rows", body.remaining(), "none");
        }
        if (rows.count() != cardinality) {
            throw corrupt(path, "rows", rows.count(), Long.toUnsignedString(cardinality));
        }
        return rows;
    }

    private static CorruptException corrupt(
            String path, String what, Object found, Object expected) {
        return new CorruptException(
                path + ": covered rows: " + what + ": found " + found + ", expected " + expected);
    }
}
