package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.U64Segment;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import java.util.ArrayList;
import java.util.List;

/**
 * The stable row ids of a fragment's physical rows. All five encodings of Lance are read; see
 * {@link RowIdEncoder} for what is written.
 */
final class RowIdSequence {
    /** A range takes so many bytes of memory. */
    private static final long RANGE_BYTES = 48;

    /** Consecutive ids; all members unsigned. Row {@code offset + i} has id {@code start + i}. */
    record Run(long start, long length, long offset) {}

    private final List<RowIdSegment> segments = new ArrayList<>();
    private final String where;
    private long rows;

    private RowIdSequence(String where) {
        this.where = where;
    }

    /**
     * @throws CorruptException unless the bytes give ids for exactly {@code physicalRows} rows
     */
    static List<RowIdSegment> segments(ByteString bytes, long physicalRows, String where) {
        RowIdSequence sequence = new RowIdSequence(where);
        try {
            LanceManifestProto.RowIdSequence message =
                    LanceManifestProto.RowIdSequence.parseFrom(bytes);
            for (U64Segment segment : message.getSegmentsList()) {
                sequence.add(segment);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptException(where + ": row ids are no protobuf: " + e.getMessage(), e);
        }
        if (sequence.rows != physicalRows) {
            throw new CorruptException(
                    where
                            + ": "
                            + Long.toUnsignedString(sequence.rows)
                            + " row ids for "
                            + Long.toUnsignedString(physicalRows)
                            + " rows");
        }
        return sequence.segments;
    }

    /** The same as runs that are as long as they can be. */
    static List<Run> decode(ByteString bytes, long physicalRows, String where) {
        List<Run> runs = new ArrayList<>();
        for (RowIdSegment segment : segments(bytes, physicalRows, where)) {
            long id = segment.first;
            while (true) {
                long end = segment.gap(id);
                append(runs, id, end - id);
                if (end == segment.last + 1) {
                    break;
                }
                id = segment.next(end);
            }
        }
        return runs;
    }

    private static void append(List<Run> runs, long start, long length) {
        Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last.start + last.length == start) {
            runs.set(runs.size() - 1, new Run(last.start, last.length + length, last.offset));
        } else {
            runs.add(new Run(start, length, last == null ? 0 : last.offset + last.length));
        }
    }

    /** The sequence of one range. */
    static ByteString range(long start, long rows) {
        U64Segment.Range range =
                U64Segment.Range.newBuilder().setStart(start).setEnd(start + rows).build();
        return LanceManifestProto.RowIdSequence.newBuilder()
                .addSegments(U64Segment.newBuilder().setRange(range))
                .build()
                .toByteString();
    }

    private void add(U64Segment segment) {
        switch (segment.getSegmentCase()) {
            case RANGE:
                run(segment.getRange().getStart(), segment.getRange().getEnd());
                break;
            case RANGE_WITH_HOLES:
                holes(segment.getRangeWithHoles());
                break;
            case RANGE_WITH_BITMAP:
                bitmap(segment.getRangeWithBitmap());
                break;
            case SORTED_ARRAY:
                sorted(numbers(segment.getSortedArray()));
                break;
            case ARRAY:
                ids(numbers(segment.getArray()));
                break;
            default:
                throw new CorruptException(where + ": a row-id segment of unknown kind");
        }
    }

    private void holes(U64Segment.RangeWithHoles segment) {
        long[] holes = numbers(segment.getHoles());
        long start = segment.getStart();
        long length = segment.getEnd() - start;
        requireHoles(holes, start, segment.getEnd());
        if (!asBits(length, holes.length)) {
            long from = start;
            for (long hole : holes) {
                run(from, hole);
                from = hole + 1;
            }
            run(from, segment.getEnd());
            return;
        }
        long[] words = new long[words(length)];
        for (int i = 0; i < words.length; i++) {
            words[i] = -1L;
        }
        for (long hole : holes) {
            words[(int) ((hole - start) >>> 6)] &= ~(1L << (hole - start & 63));
        }
        bits(start, length, words);
    }

    private void requireHoles(long[] holes, long start, long end) {
        long from = start;
        for (long hole : holes) {
            if (Long.compareUnsigned(hole, from) < 0 || Long.compareUnsigned(hole, end) >= 0) {
                throw new CorruptException(where + ": a hole of the row ids is out of order");
            }
            from = hole + 1;
        }
    }

    /** Whether bits take less memory than ranges, with so many holes or ids. */
    private static boolean asBits(long length, long parts) {
        return length > 0 && length >>> 3 <= RANGE_BYTES * parts;
    }

    private static int words(long length) {
        return (int) ((length + 63) >>> 6);
    }

    private void bitmap(U64Segment.RangeWithBitmap segment) {
        ByteString bytes = segment.getBitmap();
        long length = segment.getEnd() - segment.getStart();
        if (Long.compareUnsigned(length, bytes.size() * 8L) > 0) {
            throw new CorruptException(where + ": the bitmap of the row ids is too short");
        }
        long[] words = new long[words(length)];
        for (int i = 0; i < words.length * Long.BYTES && i < bytes.size(); i++) {
            words[i / Long.BYTES] |= (bytes.byteAt(i) & 0xffL) << (i % Long.BYTES * Byte.SIZE);
        }
        bits(segment.getStart(), length, words);
    }

    /** Adds the ids whose bits are set, of so many bits from the start. */
    private void bits(long start, long length, long[] words) {
        if ((length & 63) != 0) {
            words[words.length - 1] &= (1L << (length & 63)) - 1;
        }
        int low = 0;
        while (low < words.length && words[low] == 0) {
            low++;
        }
        if (low == words.length) {
            return;
        }
        int high = words.length - 1;
        while (words[high] == 0) {
            high--;
        }
        long first = ((long) low << 6) + Long.numberOfTrailingZeros(words[low]);
        long last = ((long) high << 6) + 63 - Long.numberOfLeadingZeros(words[high]);
        long[] shifted = new long[words(last - first + 1)];
        int by = (int) (first & 63);
        for (int i = 0; i < shifted.length; i++) {
            int from = low + i;
            shifted[i] = words[from] >>> by;
            if (by > 0 && from + 1 < words.length) {
                shifted[i] |= words[from + 1] << (64 - by);
            }
        }
        RowIdSegment segment = RowIdSegment.bits(start + first, start + last, shifted, rows);
        segments.add(segment);
        count(segment.count());
    }

    private void sorted(long[] ids) {
        for (int i = 1; i < ids.length; i++) {
            if (Long.compareUnsigned(ids[i], ids[i - 1]) <= 0) {
                ids(ids);
                return;
            }
        }
        long length = ids.length == 0 ? 0 : ids[ids.length - 1] - ids[0] + 1;
        if (!asBits(length, ids.length)) {
            ids(ids);
            return;
        }
        long[] words = new long[words(length)];
        for (long id : ids) {
            words[(int) ((id - ids[0]) >>> 6)] |= 1L << (id - ids[0] & 63);
        }
        bits(ids[0], length, words);
    }

    private void ids(long[] ids) {
        int from = 0;
        for (int i = 1; i <= ids.length; i++) {
            if (i == ids.length || ids[i] != ids[i - 1] + 1) {
                run(ids[from], ids[i - 1] + 1);
                from = i;
            }
        }
    }

    private void run(long start, long end) {
        // An end of 0 is one past the largest id.
        if (end != 0 && Long.compareUnsigned(start, end) > 0) {
            throw new CorruptException(
                    where
                            + ": row ids from "
                            + Long.toUnsignedString(start)
                            + " to "
                            + Long.toUnsignedString(end));
        }
        long length = end - start;
        if (length == 0) {
            return;
        }
        segments.add(RowIdSegment.range(start, length, rows));
        count(length);
    }

    private void count(long more) {
        if (Long.compareUnsigned(rows + more, rows) < 0) {
            throw new CorruptException(where + ": more than 2^64 row ids");
        }
        rows += more;
    }

    private long[] numbers(EncodedU64Array array) {
        switch (array.getArrayCase()) {
            case U16_ARRAY:
                return narrowed(array.getU16Array(), 2);
            case U32_ARRAY:
                return narrowed(array.getU32Array(), 4);
            case U64_ARRAY:
                return little(array.getU64Array().getValues(), 8, 0);
            default:
                // An array without a width is how an empty one is written.
                return new long[0];
        }
    }

    private long[] narrowed(EncodedU64Array.Narrowed array, int width) {
        return little(array.getOffsets(), width, array.getBase());
    }

    private long[] little(ByteString bytes, int width, long base) {
        if (bytes.size() % width != 0) {
            throw new CorruptException(
                    where + ": " + bytes.size() + " bytes are no array of " + width + "-byte ids");
        }
        long[] numbers = new long[bytes.size() / width];
        for (int i = 0; i < numbers.length; i++) {
            long value = 0;
            for (int b = width - 1; b >= 0; b--) {
                value = value << 8 | bytes.byteAt(i * width + b) & 0xff;
            }
            numbers[i] = base + value;
        }
        return numbers;
    }
}
