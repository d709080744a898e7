package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.Ulid;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeleteBitmapCodecTest {
    private static final Ulid SPLIT = new Ulid(3, 4);
    private static final RoaringBitmap DELETED = RoaringBitmap.bitmapOf(1, 5, 9);

    @Test
    void runContainersAreRead() {
        RoaringBitmap runs = new RoaringBitmap();
        runs.add(10L, 5000L);
        runs.runOptimize();
        DeleteBitmap bitmap = new DeleteBitmap(SPLIT, 6000, runs);
        assertThat(DeleteBitmapCodec.decode(DeleteBitmapCodec.encode(bitmap), "x"))
                .isEqualTo(bitmap);
    }

    @Test
    void idsAndCountsAreUnsigned() {
        DeleteBitmap bitmap = new DeleteBitmap(SPLIT, 0xffffffffL, RoaringBitmap.bitmapOf(0, -2));
        assertThat(DeleteBitmapCodec.decode(DeleteBitmapCodec.encode(bitmap), "x"))
                .isEqualTo(bitmap);
    }

    @Test
    void nothingIsWrittenThatCannotBeRead() {
        assertThatThrownBy(() -> new DeleteBitmap(SPLIT, 9, DELETED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deleted document 9 is not below the document count 9");
        assertThatThrownBy(() -> new DeleteBitmap(SPLIT, 1L << 32, DELETED))
                .hasMessageContaining("not 4294967296");
    }

    @Test
    void theBodyMustAgreeWithItself() {
        corrupt(body(20, 4, new byte[0]), "deleted documents: found 3, expected 4");
        corrupt(body(9, 3, new byte[0]), "deleted document: found 9, expected below 9");
        corrupt(body(20, 3, new byte[1]), "bytes after the bitmap: found 1, expected none");
        corrupt(new byte[27], "bytes of body: found 27, expected at least 28");
    }

    private static byte[] body(int docCount, long cardinality, byte[] rest) {
        ByteBuffer body =
                ByteBuffer.allocate(28 + DELETED.serializedSizeInBytes() + rest.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        body.put(SPLIT.toBytes()).putInt(docCount).putLong(cardinality);
        DELETED.serialize(body);
        return body.put(rest).array();
    }

    private static void corrupt(byte[] body, String message) {
        assertThatThrownBy(
                        () ->
                                DeleteBitmapCodec.decode(
                                        Envelope.wrap(Envelope.Type.OPDB, body), "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: ")
                .hasMessageContaining(message);
    }

    @Test
    void theBitmapMustBeTheSplits() {
        byte[] object = DeleteBitmapCodec.encode(new DeleteBitmap(SPLIT, 20, DELETED));
        assertThat(DeleteBitmapCodec.decode(object, "x", split(SPLIT, 20)).cardinality())
                .isEqualTo(3);
        assertThatThrownBy(() -> DeleteBitmapCodec.decode(object, "x", split(SPLIT, 21)))
                .isInstanceOf(CorruptException.class)
                .hasMessage("x: delete bitmap: doc count: found 20, expected 21");
        assertThatThrownBy(() -> DeleteBitmapCodec.decode(object, "x", split(new Ulid(0, 1), 20)))
                .isInstanceOf(CorruptException.class)
                .hasMessage(
                        "x: delete bitmap: split: found "
                                + SPLIT
                                + ", expected 00000000000000000000000001");
    }

    private static SplitRef split(Ulid ulid, long docs) {
        return new SplitRef(
                ulid, docs, 0, 0, 0, 0, List.of(new RowIdRange(0, docs)), "", 0, 0, 0, 0);
    }
}
