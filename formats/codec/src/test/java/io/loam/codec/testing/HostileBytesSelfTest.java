package io.loam.codec.testing;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The run finds what it is there to find. */
class HostileBytesSelfTest {
    private static final byte[] SAMPLE = {0, 0, 0, 2, 5, 6};

    @Test
    void findsUndeclaredExceptions() {
        // Reads behind the end.
        assertFound(bytes -> (int) bytes[bytes[3]], "throws what it does not declare");
    }

    @Test
    void findsErrors() {
        assertFound(
                bytes -> bytes.length > 1_000 ? nested(bytes.length * 100) : 0,
                "StackOverflowError");
    }

    private static int nested(int depth) {
        return depth == 0 ? 0 : 1 + nested(depth - 1);
    }

    @Test
    void findsMemoryOutOfProportion() {
        assertFound(
                bytes -> {
                    int length = bytes.length < 4 ? 0 : ByteBuffer.wrap(bytes).getInt();
                    return new byte[Math.max(0, Math.min(length, 10 << 20))].length;
                },
                "allocates");
    }

    @Test
    void findsExceptionsThatSayNothing() {
        assertFound(
                bytes -> {
                    if (bytes.length < 4) {
                        throw new IllegalArgumentException();
                    }
                    return 0;
                },
                "says nothing");
    }

    @Test
    void findsValuesThatDoNotSurvive() {
        HostileDecoder<Integer> decoder =
                HostileDecoder.<Integer>of(
                                "broken",
                                bytes -> bytes.length == 0 ? 0 : bytes[0] & 0xff,
                                IllegalArgumentException.class)
                        .samples(List.of(SAMPLE))
                        .encoder(value -> new byte[] {(byte) (value & 0x7f)});
        assertThatThrownBy(() -> HostileBytes.check("self", List.of(decoder), 2_000))
                .hasMessageContaining("another value after a round trip");
    }

    private static void assertFound(HostileDecoder.Decode<Integer> decode, String message) {
        HostileDecoder<Integer> decoder =
                HostileDecoder.of("broken", decode, IllegalArgumentException.class)
                        .samples(List.of(SAMPLE));
        assertThatThrownBy(() -> HostileBytes.check("self", List.of(decoder), 2_000))
                .hasMessageContaining(message)
                .hasMessageContaining("-Dloam.seed=");
    }
}
