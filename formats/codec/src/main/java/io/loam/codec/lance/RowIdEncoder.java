package io.loam.codec.lance;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.U64Segment;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Writes ascending row ids as Lance's {@code RowIdSequence}, in the encodings that take the least:
 *
 * <pre>
 * range              consecutive ids
 * range, holes       few short holes: 2, 4 or 8 bytes a missing id
 * range, bitmap      dense: a bit for every id, missing or not
 * sorted array       sparse, or a single id: 2, 4 or 8 bytes an id
 * </pre>
 *
 * A segment is cut where two segments take less than one. The whole never takes more than it would
 * in a single segment of any kind.
 */
public final class RowIdEncoder {
    private static final long U16 = 0xffffL;
    private static final long U32 = 0xffffffffL;

    private final List<RowIdRange> runs;
    private final LanceManifestProto.RowIdSequence.Builder sequence =
            LanceManifestProto.RowIdSequence.newBuilder();

    private RowIdEncoder(List<RowIdRange> runs) {
        this.runs = runs;
    }

    /**
     * @param runs not empty, ascending, as large as they can be ({@code RowIdRuns})
     */
    public static byte[] encode(List<RowIdRange> runs) {
        byte[] cut = new RowIdEncoder(runs).cut();
        if (runs.isEmpty() || new Stretch(runs, 0, runs.size()).bytes() >= cut.length) {
            return cut;
        }
        return new RowIdEncoder(runs).whole();
    }

    private byte[] whole() {
        add(new Stretch(runs, 0, runs.size()));
        return sequence.build().toByteArray();
    }

    private byte[] cut() {
        Stretch open = null;
        for (int i = 0; i < runs.size(); i++) {
            Stretch next = new Stretch(runs, i, i + 1);
            Stretch longer = open == null ? next : open.and(next);
            if (open != null && longer.bytes() > open.bytes() + next.bytes()) {
                add(open);
                longer = next;
            }
            open = longer;
        }
        if (open != null) {
            add(open);
        }
        return sequence.build().toByteArray();
    }

    private void add(Stretch stretch) {
        sequence.addSegments(stretch.encode());
    }

    /** Some runs that follow each other. */
    private record Stretch(List<RowIdRange> all, int from, int to, long ids) {
        Stretch(List<RowIdRange> all, int from, int to) {
            this(all, from, to, ids(all, from, to));
        }

        private static long ids(List<RowIdRange> all, int from, int to) {
            long ids = 0;
            for (int i = from; i < to; i++) {
                ids += all.get(i).length();
            }
            return ids;
        }

        Stretch and(Stretch next) {
            return new Stretch(all, from, next.to, ids + next.ids);
        }

        private long start() {
            return all.get(from).start();
        }

        private long end() {
            return all.get(to - 1).end();
        }

        private long holes() {
            return end() - start() - ids;
        }

        private long firstHole() {
            return all.get(from).end();
        }

        private long lastHole() {
            return all.get(to - 1).start() - 1;
        }

        /** Of the segment in its sequence, in the encoding that takes the least. */
        long bytes() {
            return framed(framed(content()));
        }

        private long content() {
            if (holes() == 0) {
                return Math.min(bounds(), sortedContent());
            }
            return Math.min(holesContent(), Math.min(bitmapContent(), sortedContent()));
        }

        private long bounds() {
            return number(start()) + number(end());
        }

        private long holesContent() {
            return bounds() + framed(array(holes(), firstHole(), lastHole()));
        }

        private long bitmapContent() {
            return bounds() + framed((end() - start() + 7) >>> 3);
        }

        private long sortedContent() {
            return array(ids, start(), end() - 1);
        }

        U64Segment encode() {
            U64Segment.Builder segment = U64Segment.newBuilder();
            long least = content();
            if (holes() == 0 && least == bounds()) {
                segment.setRange(U64Segment.Range.newBuilder().setStart(start()).setEnd(end()));
            } else if (least == sortedContent()) {
                segment.setSortedArray(encoded(ids, start(), end() - 1, this::forEachId));
            } else if (least == bitmapContent()) {
                segment.setRangeWithBitmap(
                        U64Segment.RangeWithBitmap.newBuilder()
                                .setStart(start())
                                .setEnd(end())
                                .setBitmap(bitmap()));
            } else {
                segment.setRangeWithHoles(
                        U64Segment.RangeWithHoles.newBuilder()
                                .setStart(start())
                                .setEnd(end())
                                .setHoles(
                                        encoded(
                                                holes(),
                                                firstHole(),
                                                lastHole(),
                                                this::forEachHole)));
            }
            return segment.build();
        }

        private ByteString bitmap() {
            byte[] bits = new byte[(int) ((end() - start() + 7) >>> 3)];
            forEachId(
                    id -> bits[(int) ((id - start()) >>> 3)] |= (byte) (1 << ((id - start()) & 7)));
            return ByteString.copyFrom(bits);
        }

        private void forEachId(LongConsumer id) {
            for (int i = from; i < to; i++) {
                RowIdRange run = all.get(i);
                for (long next = run.start(); next != run.end(); next++) {
                    id.accept(next);
                }
            }
        }

        private void forEachHole(LongConsumer id) {
            for (int i = from + 1; i < to; i++) {
                for (long next = all.get(i - 1).end(); next != all.get(i).start(); next++) {
                    id.accept(next);
                }
            }
        }
    }

    /** Ids to write, one after the other. */
    private interface Ids {
        void forEach(LongConsumer id);
    }

    private static EncodedU64Array encoded(long count, long first, long last, Ids ids) {
        int width = width(first, last);
        ByteBuffer bytes = ByteBuffer.allocate((int) count * width).order(ByteOrder.LITTLE_ENDIAN);
        ids.forEach(
                id -> {
                    switch (width) {
                        case Short.BYTES -> bytes.putShort((short) (id - first));
                        case Integer.BYTES -> bytes.putInt((int) (id - first));
                        default -> bytes.putLong(id);
                    }
                });
        ByteString written = ByteString.copyFrom(bytes.flip());
        EncodedU64Array.Narrowed.Builder narrowed =
                EncodedU64Array.Narrowed.newBuilder().setBase(first).setOffsets(written);
        EncodedU64Array.Builder array = EncodedU64Array.newBuilder();
        return switch (width) {
            case Short.BYTES -> array.setU16Array(narrowed).build();
            case Integer.BYTES -> array.setU32Array(narrowed).build();
            default ->
                    array.setU64Array(EncodedU64Array.Plain.newBuilder().setValues(written))
                            .build();
        };
    }

    private static int width(long first, long last) {
        long span = last - first;
        if (Long.compareUnsigned(span, U16) <= 0) {
            return Short.BYTES;
        }
        return Long.compareUnsigned(span, U32) <= 0 ? Integer.BYTES : Long.BYTES;
    }

    /** Bytes of an array's message. */
    private static long array(long count, long first, long last) {
        int width = width(first, last);
        return framed((width == Long.BYTES ? 0 : number(first)) + framed(count * width));
    }

    /** Bytes of a field with a small number that holds so many bytes. */
    private static long framed(long bytes) {
        return 1 + CodedOutputStream.computeUInt64SizeNoTag(bytes) + bytes;
    }

    /** Bytes of a field that holds a number; zero is left out. */
    private static long number(long value) {
        return value == 0 ? 0 : 1 + CodedOutputStream.computeUInt64SizeNoTag(value);
    }
}
