package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;
import io.loam.codec.key.PrimaryKey;

import org.junit.jupiter.api.Test;

import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PkDeltaCodecTest {
    private static final PkDelta.Entry A = new PkDelta.Entry(PrimaryKey.ofString("a"), 1L);
    private static final PkDelta.Entry B = new PkDelta.Entry(PrimaryKey.ofString("b"), null);

    @Test
    void ofARepeatedKeyTheLastValueStays() {
        PkDelta.Entry later = new PkDelta.Entry(A.key(), -1L);
        PkDelta delta = PkDelta.of(List.of(B, A, later));
        assertThat(delta.entries()).containsExactly(later, B);
        assertThat(PkDeltaCodec.decode(PkDeltaCodec.encode(delta), "x")).isEqualTo(delta);
    }

    @Test
    void keysMustAscend() {
        corrupt("02" + "02036200" + "02036100", "keys of a PK delta must ascend: a follows b");
        corrupt("02" + "02036100" + "02036100", "keys of a PK delta must ascend: a follows a");
        assertThatThrownBy(() -> new PkDelta(List.of(B, A)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keysMustBeCanonicalAndOptionsOptions() {
        corrupt("01" + "02046100", "unknown key tag 0x04");
        corrupt("01" + "02036102", "an option's tag is 0 or 1, not 2");
        corrupt("00" + "00", "1 bytes are left over");
        corrupt("ffffffffffffffffff01", "18446744073709551615 elements are announced");
    }

    private static void corrupt(String body, String message) {
        byte[] object = Envelope.wrap(Envelope.Type.OPPD, HexFormat.of().parseHex(body));
        assertThatThrownBy(() -> PkDeltaCodec.decode(object, "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: PK delta: " + message);
    }
}
