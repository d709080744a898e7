package io.loam.tantivy;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class StoredTokensTest {
    private static Token token(String text, int position) {
        return new Token(text, position, 0, 0);
    }

    @Test
    void fillsPositionsWithoutATokenBeforeAToken() {
        List<Token> tokens = List.of(token("a", 1), token("b", 4));
        assertThat(StoredTokens.text((text, to) -> tokens.forEach(to), ""))
                .isEqualTo("\uE000 a \uE000 \uE000 b");
        assertThat(StoredTokens.phrase(tokens)).containsExactly("a", "\uE000", "\uE000", "b");
        assertThat(StoredTokens.text((text, to) -> {}, "")).isEmpty();
        assertThat(StoredTokens.phrase(List.of())).isEmpty();
    }

    @Test
    void escapesWhatLowerCasingWouldChange() {
        assertThat(StoredTokens.word("straße-1")).isEqualTo("straße-1");
        assertThat(StoredTokens.word("A-b")).isEqualTo("\uE002a-b");
        assertThat(StoredTokens.word("É")).isEqualTo("\uE002é");
        assertThat(StoredTokens.word("\u0130")).isEqualTo("\uE003130\uE003");
        assertThat(StoredTokens.word("\uE000")).isEqualTo("\uE003e000\uE003");
    }

    @Test
    void longTokensBecomeDigests() {
        assertThat(StoredTokens.word("x".repeat(254))).isEqualTo("x".repeat(254));
        assertThat(StoredTokens.word("x".repeat(255))).startsWith("\uE001").hasSize(65);
        assertThat(StoredTokens.word("é".repeat(127))).isEqualTo("é".repeat(127));
        assertThat(StoredTokens.word("é".repeat(128))).startsWith("\uE001").hasSize(65);
    }

    @Test
    void everyCharacterHasAWordOfItsOwnThatLowerCasingLeavesAlone() {
        Map<String, Integer> words = new HashMap<>();
        Map<String, String> wrong = new TreeMap<>();
        for (int c = 1; c <= Character.MAX_CODE_POINT; c++) {
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                continue;
            }
            String word = StoredTokens.word(Character.toString(c));
            boolean shared = words.put(word, c) != null;
            boolean changes = !word.toLowerCase(Locale.ROOT).equals(word);
            if (shared || changes || word.getBytes(StandardCharsets.UTF_8).length >= 20) {
                wrong.put(Integer.toHexString(c), word);
            }
        }
        assertThat(wrong).as("characters whose word is shared, lower-cased or long").isEmpty();
    }
}
