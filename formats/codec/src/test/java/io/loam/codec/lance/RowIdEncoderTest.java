package io.loam.codec.lance;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.U64Segment;
import io.loam.codec.proto.LanceManifestProto.U64Segment.SegmentCase;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Any ascending ids are read back, and no encoding of Lance's alone would take less. */
class RowIdEncoderTest {
    /** Lengths of runs and of the holes after them: short ones mostly, some across a width. */
    @Provide
    Arbitrary<List<RowIdRange>> runs() {
        Arbitrary<Long> length =
                Arbitraries.frequencyOf(
                        Tuple.of(6, Arbitraries.longs().between(1, 3)),
                        Tuple.of(3, Arbitraries.longs().between(1, 200)),
                        Tuple.of(1, Arbitraries.longs().between(1, 5_000)));
        Arbitrary<Long> hole =
                Arbitraries.frequencyOf(
                        Tuple.of(6, Arbitraries.longs().between(1, 3)),
                        Tuple.of(3, Arbitraries.longs().between(1, 300)),
                        Tuple.of(1, Arbitraries.longs().between(1, 1L << 40)));
        Arbitrary<long[]> pair = Combinators.combine(length, hole).as((l, h) -> new long[] {l, h});
        return Combinators.combine(
                        Arbitraries.longs().between(0, 1L << 50),
                        pair.list().ofMinSize(1).ofMaxSize(60))
                .as(RowIdEncoderTest::ranges);
    }

    private static List<RowIdRange> ranges(long first, List<long[]> pairs) {
        List<RowIdRange> ranges = new ArrayList<>();
        long start = first;
        for (long[] pair : pairs) {
            ranges.add(new RowIdRange(start, start + pair[0]));
            start += pair[0] + pair[1];
        }
        return ranges;
    }

    @Property
    void idsAreReadBack(@ForAll("runs") List<RowIdRange> runs) {
        byte[] bytes = RowIdEncoder.encode(runs);
        assertThat(decode(bytes, RowIdRuns.count(runs))).isEqualTo(runs);
    }

    @Property
    void noSingleEncodingTakesLess(@ForAll("runs") List<RowIdRange> runs) {
        int bytes = RowIdEncoder.encode(runs).length;
        assertThat(bytes).isLessThanOrEqualTo(size(ranges(runs)));
        assertThat(bytes).isLessThanOrEqualTo(size(List.of(sorted(runs))));
        long span = runs.get(runs.size() - 1).end() - runs.get(0).start();
        if (span < 1 << 22) {
            assertThat(bytes).isLessThanOrEqualTo(size(List.of(bitmap(runs))));
            assertThat(bytes).isLessThanOrEqualTo(size(List.of(holes(runs))));
        }
    }

    @Example
    void eachShapeTakesItsOwnEncoding() {
        assertThat(kinds(List.of(new RowIdRange(5, 900)))).containsExactly(SegmentCase.RANGE);
        assertThat(kinds(scattered(100_000, 0.01)))
                .contains(SegmentCase.RANGE_WITH_HOLES)
                .doesNotContain(SegmentCase.SORTED_ARRAY);
        assertThat(kinds(scattered(100_000, 0.5))).containsExactly(SegmentCase.RANGE_WITH_BITMAP);
        assertThat(kinds(scattered(60_000, 0.99))).containsExactly(SegmentCase.SORTED_ARRAY);
        assertThat(kinds(List.of(new RowIdRange(5, 900), new RowIdRange(1L << 40, 1L << 41))))
                .containsExactly(SegmentCase.RANGE, SegmentCase.RANGE);
        assertThat(RowIdEncoder.encode(List.of())).isEmpty();
    }

    private static List<RowIdRange> scattered(int ids, double deleted) {
        Random random = new Random(ids);
        return RowIdRuns.of(
                LongStream.range(1L << 33, (1L << 33) + ids)
                        .filter(id -> random.nextDouble() >= deleted)
                        .toArray());
    }

    private static List<SegmentCase> kinds(List<RowIdRange> runs) {
        try {
            return LanceManifestProto.RowIdSequence.parseFrom(RowIdEncoder.encode(runs))
                    .getSegmentsList()
                    .stream()
                    .map(U64Segment::getSegmentCase)
                    .toList();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private static List<RowIdRange> decode(byte[] bytes, long rows) {
        return RowIdSequence.decode(ByteString.copyFrom(bytes), rows, "x").stream()
                .map(run -> new RowIdRange(run.start(), run.start() + run.length()))
                .toList();
    }

    private static int size(List<U64Segment> segments) {
        return LanceManifestProto.RowIdSequence.newBuilder()
                .addAllSegments(segments)
                .build()
                .getSerializedSize();
    }

    private static List<U64Segment> ranges(List<RowIdRange> runs) {
        return runs.stream()
                .map(
                        run ->
                                U64Segment.newBuilder()
                                        .setRange(
                                                U64Segment.Range.newBuilder()
                                                        .setStart(run.start())
                                                        .setEnd(run.end()))
                                        .build())
                .toList();
    }

    private static U64Segment sorted(List<RowIdRange> runs) {
        List<Long> ids = new ArrayList<>();
        runs.forEach(
                run -> {
                    for (long id = run.start(); id < run.end(); id++) {
                        ids.add(id);
                    }
                });
        return U64Segment.newBuilder().setSortedArray(array(ids)).build();
    }

    private static U64Segment holes(List<RowIdRange> runs) {
        List<Long> holes = new ArrayList<>();
        for (int i = 1; i < runs.size(); i++) {
            for (long id = runs.get(i - 1).end(); id < runs.get(i).start(); id++) {
                holes.add(id);
            }
        }
        return U64Segment.newBuilder()
                .setRangeWithHoles(
                        U64Segment.RangeWithHoles.newBuilder()
                                .setStart(runs.get(0).start())
                                .setEnd(runs.get(runs.size() - 1).end())
                                .setHoles(array(holes)))
                .build();
    }

    private static U64Segment bitmap(List<RowIdRange> runs) {
        long start = runs.get(0).start();
        long end = runs.get(runs.size() - 1).end();
        return U64Segment.newBuilder()
                .setRangeWithBitmap(
                        U64Segment.RangeWithBitmap.newBuilder()
                                .setStart(start)
                                .setEnd(end)
                                .setBitmap(
                                        ByteString.copyFrom(
                                                new byte[(int) ((end - start + 7) / 8)])))
                .build();
    }

    private static EncodedU64Array array(List<Long> ids) {
        EncodedU64Array.Builder array = EncodedU64Array.newBuilder();
        if (ids.isEmpty()) {
            return array.build();
        }
        long base = ids.get(0);
        long span = ids.get(ids.size() - 1) - base;
        int width = span < 1 << 16 ? 2 : span < 1L << 32 ? 4 : 8;
        ByteBuffer bytes = ByteBuffer.allocate(width * ids.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (long id : ids) {
            if (width == 2) {
                bytes.putShort((short) (id - base));
            } else if (width == 4) {
                bytes.putInt((int) (id - base));
            } else {
                bytes.putLong(id);
            }
        }
        ByteString written = ByteString.copyFrom(bytes.array());
        EncodedU64Array.Narrowed.Builder narrow =
                EncodedU64Array.Narrowed.newBuilder().setBase(base).setOffsets(written);
        return switch (width) {
            case 2 -> array.setU16Array(narrow).build();
            case 4 -> array.setU32Array(narrow).build();
            default ->
                    array.setU64Array(EncodedU64Array.Plain.newBuilder().setValues(written))
                            .build();
        };
    }
}
