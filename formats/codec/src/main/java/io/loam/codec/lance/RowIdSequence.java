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
 * The stable row ids of a fragment's physical rows as runs of consecutive ids: row {@code offset +
 * i} has id {@code start + i}. All five encodings of Lance are read; ranges are written.
 */
final class RowIdSequence {
    /** Consecutive ids; all members unsigned. */
    record Run(long start, long length, long offset) {}

    private final List<Run> runs = new ArrayList<>();
    private final String where;
    private long rows;

    private RowIdSequence(String where) {
        this.where = where;
    }

    /**
     * @throws CorruptException unless the bytes give ids for exactly {@code physicalRows} rows
     */
    static List<Run> decode(ByteString bytes, long physicalRows, String where) {
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
        return sequence.runs;
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
                ids(segment.getSortedArray());
                break;
            case ARRAY:
                ids(segment.getArray());
                break;
            default:
                throw new CorruptException(where + ": a row-id segment of unknown kind");
        }
    }

    private void holes(U64Segment.RangeWithHoles segment) {
        long from = segment.getStart();
        for (long hole : numbers(segment.getHoles())) {
            if (Long.compareUnsigned(hole, from) < 0
                    || Long.compareUnsigned(hole, segment.getEnd()) >= 0) {
                throw new CorruptException(where + ": a hole of the row ids is out of order");
            }
            run(from, hole);
            from = hole + 1;
        }
        run(from, segment.getEnd());
    }

    private void bitmap(U64Segment.RangeWithBitmap segment) {
        ByteString bits = segment.getBitmap();
        long length = segment.getEnd() - segment.getStart();
        if (Long.compareUnsigned(length, bits.size() * 8L) > 0) {
            throw new CorruptException(where + ": the bitmap of the row ids is too short");
        }
        long from = -1;
        for (long i = 0; i <= length; i++) {
            boolean set = i < length && (bits.byteAt((int) (i >>> 3)) >>> (i & 7) & 1) == 1;
            if (set && from < 0) {
                from = i;
            } else if (!set && from >= 0) {
                run(segment.getStart() + from, segment.getStart() + i);
                from = -1;
            }
        }
    }

    private void ids(EncodedU64Array array) {
        for (long id : numbers(array)) {
            run(id, id + 1);
        }
    }

    private void run(long start, long end) {
        if (Long.compareUnsigned(start, end) > 0) {
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
        Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last.start + last.length == start) {
            runs.set(runs.size() - 1, new Run(last.start, last.length + length, last.offset));
        } else {
            runs.add(new Run(start, length, rows));
        }
        if (Long.compareUnsigned(rows + length, rows) < 0) {
            throw new CorruptException(where + ": more than 2^64 row ids");
        }
        rows += length;
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
