package io.loam.codec.erase;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest.Tagged;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Records of erasures; the bytes were put together from the format's description by hand. */
class ErasureCodecTest {
    private static final String ID = "000000000000000100000000000000ff";
    private static final String REQUEST_BODY =
            ID
                    + "01" // namespace
                    + "ac02" // collection 300
                    + "e807" // created at 1000
                    + "d00f" // deadline 2000
                    + "026d65" // requester "me"
                    + "01" // drop
                    + "11".repeat(32)
                    + "02"
                    + "22".repeat(32)
                    + "f3".repeat(32)
                    + "02" // offsets
                    + "0005"
                    + "018001";

    private static byte[] filled(int value) {
        byte[] hash = new byte[ErasureRequest.HASH_BYTES];
        Arrays.fill(hash, (byte) value);
        return hash;
    }

    private static ErasureRequest request() {
        return new ErasureRequest(
                new Ulid(1, 255),
                1,
                300,
                1000,
                2000,
                "me",
                Tagged.DROP,
                filled(0x11),
                List.of(filled(0x22), filled(0xf3)),
                Map.of(1, 128L, 0, 5L));
    }

    private static String body(byte[] object) {
        return HexFormat.of().formatHex(object, 6, object.length - 4);
    }

    @Test
    void aRequestHasTheseBytes() {
        byte[] object = ErasureCodec.encode(request());
        assertThat(new String(object, 0, 4, java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("OPER");
        assertThat(body(object)).isEqualTo(REQUEST_BODY);
        ErasureRequest read = ErasureCodec.decodeRequest(object, "x");
        assertThat(read).usingRecursiveComparison().isEqualTo(request());
    }

    @Test
    void aNoteHasTheseBytes() {
        ErasureNote note = new ErasureNote(new Ulid(1, 255), 1000, 7, 300, 5);
        String bytes = ID + "e807" + "07" + "ac02" + "05";
        assertThat(body(ErasureCodec.encodeReleased(note))).isEqualTo(bytes);
        assertThat(body(ErasureCodec.encodeCompletion(note))).isEqualTo(bytes);
        assertThat(ErasureCodec.decodeReleased(ErasureCodec.encodeReleased(note), "x"))
                .isEqualTo(note);
        assertThat(ErasureCodec.decodeCompletion(ErasureCodec.encodeCompletion(note), "x"))
                .isEqualTo(note);
        assertThatThrownBy(
                        () -> ErasureCodec.decodeReleased(ErasureCodec.encodeCompletion(note), "x"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("found OPEC, expected OPEX");
    }

    @Test
    void everyDamageIsToldApart() {
        byte[] object = ErasureCodec.encode(request());
        for (int i = 0; i < object.length; i++) {
            byte[] flipped = object.clone();
            flipped[i] ^= 4;
            assertThatThrownBy(() -> ErasureCodec.decodeRequest(flipped, "_erasure/x"))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageStartingWith("_erasure/x: ");
            byte[] cut = Arrays.copyOf(object, i);
            assertThatThrownBy(() -> ErasureCodec.decodeRequest(cut, "_erasure/x"))
                    .isInstanceOf(CorruptException.class);
        }
    }

    @Test
    void hashesAscend() {
        assertThatThrownBy(
                        () ->
                                new ErasureRequest(
                                        new Ulid(1, 1),
                                        1,
                                        1,
                                        0,
                                        0,
                                        "",
                                        Tagged.REWRITE,
                                        filled(0),
                                        List.of(filled(2), filled(2)),
                                        Map.of()))
                .hasMessage("hashes of keys must ascend");
    }
}
