package io.loam.codec.manifest;

import io.loam.codec.CorruptException;
import io.loam.codec.Envelope;

import org.junit.jupiter.api.Test;

import java.util.HexFormat;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeadLetterCodecTest {

    @Test
    void lettersAreWrittenByPartitionAndOffsetUnsigned() {
        List<DeadLetter> read =
                DeadLetterCodec.decode(
                        DeadLetterCodec.encode(
                                List.of(
                                        letter(-1, 0),
                                        letter(0, -1),
                                        letter(1, 5),
                                        letter(0, Long.MAX_VALUE))),
                        "x");
        assertThat(read)
                .usingRecursiveComparison()
                .isEqualTo(
                        List.of(
                                letter(0, Long.MAX_VALUE),
                                letter(0, -1),
                                letter(1, 5),
                                letter(-1, 0)));
    }

    @Test
    void lettersAreReadInAnyOrder() {
        byte[] object = wrap("02" + "0205000000" + "0104000000");
        assertThat(DeadLetterCodec.decode(object, "x"))
                .extracting(DeadLetter::partition)
                .containsExactly(2, 1);
    }

    @Test
    void damageIsNamedWithThePath() {
        corrupt("01" + "0205000001ff", "a string is not UTF-8");
        corrupt("01" + "0205000200", "an option's tag is 0 or 1, not 2");
        corrupt("ffffffff0f", "4294967295 elements are announced");
    }

    private static void corrupt(String body, String message) {
        assertThatThrownBy(() -> DeadLetterCodec.decode(wrap(body), "the/path"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("the/path: dead letters: " + message);
    }

    private static byte[] wrap(String body) {
        return Envelope.wrap(Envelope.Type.OPDL, HexFormat.of().parseHex(body));
    }

    private static DeadLetter letter(int partition, long offset) {
        return new DeadLetter(partition, offset, null, new byte[] {1}, "schema: x");
    }
}
