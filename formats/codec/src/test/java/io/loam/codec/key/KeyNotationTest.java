package io.loam.codec.key;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every key has a text of its own, and the text is the key again. */
class KeyNotationTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "42",
                "-1",
                "1.5",
                "\"42\"",
                "\"",
                "{",
                "{\"uuid\":\"x\"}",
                " 42",
                "[1,2]",
                "\n"
            })
    void aStringComesBack(String text) {
        PrimaryKey key = PrimaryKey.ofString(text);
        assertThat(KeyNotation.parse(KeyNotation.print(key))).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42, Long.MAX_VALUE, -1})
    void aNumberComesBack(long number) {
        PrimaryKey key = PrimaryKey.ofU64(number);
        assertThat(KeyNotation.print(key)).isEqualTo(Long.toUnsignedString(number));
        assertThat(KeyNotation.parse(KeyNotation.print(key))).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void aUuidComesBack(long half) {
        PrimaryKey key = PrimaryKey.ofUuid(new UUID(half, half));
        assertThat(KeyNotation.parse(KeyNotation.print(key))).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "\"", "{\"uuid\":\"x\"}", "18446744073709551616"})
    void whatIsNoKeyIsRefused(String text) {
        assertThatThrownBy(() -> KeyNotation.parse(text)).isInstanceOf(InvalidKeyException.class);
    }
}
