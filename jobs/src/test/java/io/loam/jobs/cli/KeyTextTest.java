package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KeyTextTest {
    private static final String UUID_TEXT = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

    @Test
    void digitsAreAnInteger() {
        assertThat(KeyText.parse("42")).isEqualTo(PrimaryKey.ofU64(42));
        assertThat(KeyText.parse("0")).isEqualTo(PrimaryKey.ofU64(0));
        assertThat(KeyText.parse("18446744073709551615")).isEqualTo(PrimaryKey.ofU64(-1));
    }

    @Test
    void quotedTextIsAString() {
        assertThat(KeyText.parse("\"42\"")).isEqualTo(PrimaryKey.ofString("42"));
    }

    @Test
    void objectIsAUuid() {
        assertThat(KeyText.parse("{\"uuid\":\"" + UUID_TEXT + "\"}"))
                .isEqualTo(PrimaryKey.ofUuid(UUID.fromString(UUID_TEXT)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "a 42", "v1.2", UUID_TEXT, "-", "..", "n00001740", "[1]"})
    void otherTextIsAStringAsItIs(String text) {
        assertThat(KeyText.parse(text)).isEqualTo(PrimaryKey.ofString(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-1",
                "1.5",
                "007",
                "18446744073709551616",
                "\"",
                "{\"uuid\":1}",
                "{\"uuid\":\"x\"}",
                "{"
            })
    void whatIsNoKeySaysWhatIs(String text) {
        assertThatThrownBy(() -> KeyText.parse(text))
                .isInstanceOf(CliException.class)
                .hasMessageStartingWith("not a key: " + text)
                .hasMessageEndingWith("; write 42, name, '\"42\"' or '{\"uuid\":\"...\"}'")
                .message()
                .hasLineCount(1);
    }

    @Test
    void printedKeysAreReadBack() {
        for (PrimaryKey key :
                new PrimaryKey[] {
                    PrimaryKey.ofU64(-1),
                    PrimaryKey.ofString("42"),
                    PrimaryKey.ofUuid(UUID.fromString(UUID_TEXT))
                }) {
            assertThat(KeyText.parse(Json.text(KeyText.json(key)))).isEqualTo(key);
        }
    }
}
