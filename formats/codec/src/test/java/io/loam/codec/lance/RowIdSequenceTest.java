package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.RowIdSequence.Run;
import io.loam.codec.manifest.Seeds;
import io.loam.codec.proto.LanceManifestProto;
import io.loam.codec.proto.LanceManifestProto.EncodedU64Array;
import io.loam.codec.proto.LanceManifestProto.U64Segment;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RowIdSequenceTest {
    @Test
    void readsARange() {
        assertThat(ids(RowIdSequence.range(7, 3), 3)).containsExactly(7L, 8L, 9L);
    }

    @Test
    void readsARangeWithHoles() {
        U64Segment.RangeWithHoles holes =
                U64Segment.RangeWithHoles.newBuilder()
                        .setStart(10)
                        .setEnd(16)
                        .setHoles(narrow(10, 0, 3))
                        .build();
        assertThat(ids(U64Segment.newBuilder().setRangeWithHoles(holes), 4))
                .containsExactly(11L, 12L, 14L, 15L);
    }

    @Test
    void readsARangeWithABitmapLowestBitFirst() {
        ByteString bits = ByteString.copyFrom(new byte[] {(byte) 0b1000_0101, 0b10});
        U64Segment.RangeWithBitmap bitmap =
                U64Segment.RangeWithBitmap.newBuilder()
                        .setStart(100)
                        .setEnd(110)
                        .setBitmap(bits)
                        .build();
        assertThat(ids(U64Segment.newBuilder().setRangeWithBitmap(bitmap), 4))
                .containsExactly(100L, 102L, 107L, 109L);
    }

    @Test
    void readsArraysOfEveryWidth() {
        ByteBuffer wide = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        wide.putLong(1L << 50).putLong(5);
        EncodedU64Array plain =
                EncodedU64Array.newBuilder()
                        .setU64Array(
                                EncodedU64Array.Plain.newBuilder()
                                        .setValues(ByteString.copyFrom(wide.array())))
                        .build();
        ByteBuffer middle = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        middle.putInt(2).putInt(-1);
        EncodedU64Array offsets =
                EncodedU64Array.newBuilder()
                        .setU32Array(
                                EncodedU64Array.Narrowed.newBuilder()
                                        .setBase(1000)
                                        .setOffsets(ByteString.copyFrom(middle.array())))
                        .build();
        assertThat(ids(U64Segment.newBuilder().setSortedArray(narrow(4, 0, 9)), 2))
                .containsExactly(4L, 13L);
        assertThat(ids(U64Segment.newBuilder().setArray(plain), 2)).containsExactly(1L << 50, 5L);
        assertThat(ids(U64Segment.newBuilder().setSortedArray(offsets), 2))
                .containsExactly(1002L, 1000 + 0xffffffffL);
    }

    @Test
    void refusesAnotherNumberOfIdsThanRows() {
        assertThatThrownBy(() -> ids(RowIdSequence.range(7, 3), 4))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("3 row ids for 4 rows");
    }

    @Test
    void refusesWhatMakesNoSense() {
        U64Segment.RangeWithBitmap promise =
                U64Segment.RangeWithBitmap.newBuilder().setEnd(1L << 60).build();
        U64Segment.Range backwards = U64Segment.Range.newBuilder().setStart(5).setEnd(4).build();
        assertCorrupt(U64Segment.newBuilder().setRangeWithBitmap(promise), "too short");
        assertCorrupt(U64Segment.newBuilder().setRange(backwards), "row ids from 5 to 4");
        assertCorrupt(U64Segment.newBuilder(), "unknown kind");
    }

    @Test
    void refusesHolesOutOfOrderAndOddArrays() {
        U64Segment.RangeWithHoles.Builder holes =
                U64Segment.RangeWithHoles.newBuilder().setStart(10).setEnd(16);
        for (EncodedU64Array wrong :
                List.of(narrow(10, 3, 2), narrow(10, 2, 2), narrow(10, 6), narrow(9, 0))) {
            assertCorrupt(
                    U64Segment.newBuilder().setRangeWithHoles(holes.clone().setHoles(wrong)),
                    "a hole of the row ids is out of order");
        }
        EncodedU64Array odd =
                EncodedU64Array.newBuilder()
                        .setU64Array(
                                EncodedU64Array.Plain.newBuilder()
                                        .setValues(ByteString.copyFrom(new byte[7])))
                        .build();
        assertCorrupt(
                U64Segment.newBuilder().setSortedArray(odd), "7 bytes are no array of 8-byte ids");
        assertCorrupt(U64Segment.newBuilder().setArray(odd), "7 bytes are no array of 8-byte ids");
    }

    @Test
    void randomBytesAreReadOrCorrupt() {
        Random random = Seeds.random(RowIdSequenceTest.class);
        U64Segment.Builder holes =
                U64Segment.newBuilder()
                        .setRangeWithHoles(
                                U64Segment.RangeWithHoles.newBuilder()
                                        .setStart(10)
                                        .setEnd(16)
                                        .setHoles(narrow(10, 0, 3)));
        byte[] good =
                LanceManifestProto.RowIdSequence.newBuilder()
                        .addSegments(holes)
                        .addSegments(U64Segment.newBuilder().setArray(narrow(90, 7, 2)))
                        .build()
                        .toByteArray();
        for (int i = 0; i < 5000; i++) {
            byte[] bad = i % 2 == 0 ? new byte[random.nextInt(40)] : good.clone();
            if (i % 2 == 0) {
                random.nextBytes(bad);
            } else {
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertThat(ids(ByteString.copyFrom(bad), 6)).hasSize(6);
            } catch (CorruptException expected) {
                assertThat(expected).hasMessageStartingWith("test: ");
            }
        }
    }

    private static void assertCorrupt(U64Segment.Builder segment, String message) {
        assertThatThrownBy(() -> ids(segment, 1))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(message);
    }

    private static EncodedU64Array narrow(long base, int... offsets) {
        ByteBuffer bytes = ByteBuffer.allocate(offsets.length * 2).order(ByteOrder.LITTLE_ENDIAN);
        for (int offset : offsets) {
            bytes.putShort((short) offset);
        }
        return EncodedU64Array.newBuilder()
                .setU16Array(
                        EncodedU64Array.Narrowed.newBuilder()
                                .setBase(base)
                                .setOffsets(ByteString.copyFrom(bytes.array())))
                .build();
    }

    private static List<Long> ids(U64Segment.Builder segment, long rows) {
        return ids(
                LanceManifestProto.RowIdSequence.newBuilder()
                        .addSegments(segment)
                        .build()
                        .toByteString(),
                rows);
    }

    private static List<Long> ids(ByteString bytes, long rows) {
        List<Long> ids = new ArrayList<>();
        for (Run run : RowIdSequence.decode(bytes, rows, "test")) {
            assertThat(run.offset()).isEqualTo(ids.size());
            for (long i = 0; i < run.length(); i++) {
                ids.add(run.start() + i);
            }
        }
        return ids;
    }
}
