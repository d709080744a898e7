package io.loam.codec.lance;

import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.U64Segment;

import com.google.protobuf.ByteString;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** The same ids come out of every encoding of them, and each is found where it stands. */
class RowIdLawsTest {
    @Provide
    Arbitrary<TreeSet<Long>> ids() {
        return Arbitraries.longs()
                .between(0, 400)
                .set()
                .ofMinSize(1)
                .ofMaxSize(60)
                .map(TreeSet::new);
    }

    @Property
    void everyEncodingGivesTheSameIds(
            @ForAll("ids") TreeSet<Long> set, @ForAll("bases") long base) {
        List<Long> ids = set.stream().map(id -> base + id).toList();
        for (U64Segment.Builder encoded : encodings(set, base)) {
            List<RowIdSequence.Run> runs = decode(encoded, ids.size());
            assertThat(expanded(runs)).isEqualTo(ids);
            LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
            builder.add(7, runs);
            LanceRowLocator locator = builder.build("x");
            for (int row = 0; row < ids.size(); row++) {
                assertThat(locator.locate(ids.get(row))).contains(new RowAddress(7, row));
            }
            assertThat(locator.locate(base + set.last() + 1)).isEmpty();
        }
    }

    @Property
    void rangesAreReadBack(@ForAll("bases") long start, @ForAll("lengths") int rows) {
        List<RowIdSequence.Run> runs =
                RowIdSequence.decode(RowIdSequence.range(start, rows), rows, "x");
        assertThat(runs)
                .isEqualTo(rows == 0 ? List.of() : List.of(new RowIdSequence.Run(start, rows, 0)));
    }

    @Provide
    Arbitrary<Long> bases() {
        return Arbitraries.longs().between(0, Long.MAX_VALUE - 1000);
    }

    @Provide
    Arbitrary<Integer> lengths() {
        return Arbitraries.integers().between(0, 100_000);
    }

    private static List<U64Segment.Builder> encodings(TreeSet<Long> set, long base) {
        long first = set.first();
        long end = set.last() + 1;
        List<Long> holes = new ArrayList<>();
        byte[] bitmap = new byte[(int) ((end - first + 7) / 8)];
        for (long id = first; id < end; id++) {
            if (set.contains(id)) {
                bitmap[(int) (id - first) / 8] |= (byte) (1 << (id - first) % 8);
            } else {
                holes.add(id);
            }
        }
        return List.of(
                U64Segment.newBuilder()
                        .setRangeWithHoles(
                                U64Segment.RangeWithHoles.newBuilder()
                                        .setStart(base + first)
                                        .setEnd(base + end)
                                        .setHoles(narrow(holes, base))),
                U64Segment.newBuilder()
                        .setRangeWithBitmap(
                                U64Segment.RangeWithBitmap.newBuilder()
                                        .setStart(base + first)
                                        .setEnd(base + end)
                                        .setBitmap(ByteString.copyFrom(bitmap))),
                U64Segment.newBuilder().setSortedArray(narrow(List.copyOf(set), base)),
                U64Segment.newBuilder().setArray(wide(List.copyOf(set), base)));
    }

    private static EncodedU64Array narrow(List<Long> ids, long base) {
        ByteBuffer offsets = ByteBuffer.allocate(2 * ids.size()).order(ByteOrder.LITTLE_ENDIAN);
        ids.forEach(id -> offsets.putShort(id.shortValue()));
        return EncodedU64Array.newBuilder()
                .setU16Array(
                        EncodedU64Array.Narrowed.newBuilder()
                                .setBase(base)
                                .setOffsets(ByteString.copyFrom(offsets.array())))
                .build();
    }

    private static EncodedU64Array wide(List<Long> ids, long base) {
        ByteBuffer values = ByteBuffer.allocate(8 * ids.size()).order(ByteOrder.LITTLE_ENDIAN);
        ids.forEach(id -> values.putLong(base + id));
        return EncodedU64Array.newBuilder()
                .setU64Array(
                        EncodedU64Array.Plain.newBuilder()
                                .setValues(ByteString.copyFrom(values.array())))
                .build();
    }

    private static List<RowIdSequence.Run> decode(U64Segment.Builder segment, int rows) {
        ByteString bytes =
                LanceManifestProto.RowIdSequence.newBuilder()
                        .addSegments(segment)
                        .build()
                        .toByteString();
        return RowIdSequence.decode(bytes, rows, "x");
    }

    private static List<Long> expanded(List<RowIdSequence.Run> runs) {
        List<Long> ids = new ArrayList<>();
        for (RowIdSequence.Run run : runs) {
            assertThat(run.offset()).isEqualTo(ids.size());
            for (long i = 0; i < run.length(); i++) {
                ids.add(run.start() + i);
            }
        }
        return ids;
    }
}
