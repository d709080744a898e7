package io.loam.tantivy;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.testing.Campaign;

import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AnalyzersTest {
    private static final JsonObject GOLDEN = Golden.read("analyzers.json");

    static Stream<JsonObject> cases() {
        return Golden.array(GOLDEN, "cases").stream().map(JsonObject.class::cast);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void matchesTheGoldenCase(JsonObject golden) {
        String text = text(Golden.string(golden, "text"));
        List<Token> tokens = Analyzers.named(Golden.string(golden, "analyzer")).analyze(text);

        golden.members()
                .forEach(
                        (member, expected) -> {
                            switch (member) {
                                case "tokens" ->
                                        assertThat(tokens)
                                                .extracting(Token::text)
                                                .isEqualTo(Golden.strings(expected));
                                case "positions" ->
                                        assertThat(tokens)
                                                .extracting(Token::position)
                                                .isEqualTo(Golden.ints(expected));
                                case "token_lengths" ->
                                        assertThat(tokens)
                                                .extracting(token -> token.text().length())
                                                .isEqualTo(Golden.ints(expected));
                                case "byte_offsets" ->
                                        assertThat(byteOffsets(text, tokens))
                                                .isEqualTo(pairs(expected));
                                case "analyzer", "text" -> {}
                                default -> throw new AssertionError("unknown " + member);
                            }
                        });
    }

    private static String text(String golden) {
        if (golden.equals("<600 letters a..z repeating>")) {
            return "abcdefghijklmnopqrstuvwxyz".repeat(24).substring(0, 600);
        }
        assertThat(golden).as("a phrase that is no text").doesNotStartWith("<");
        return golden;
    }

    private static List<List<Integer>> byteOffsets(String text, List<Token> tokens) {
        List<List<Integer>> offsets = new ArrayList<>();
        for (Token token : tokens) {
            offsets.add(List.of(utf8Length(text, token.start()), utf8Length(text, token.end())));
        }
        return offsets;
    }

    private static int utf8Length(String text, int end) {
        return text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
    }

    private static List<List<Integer>> pairs(JsonValue array) {
        return ((JsonArray) array).values().stream().map(Golden::ints).toList();
    }

    @Test
    void stopWordsAreTheGoldenOnes() {
        List<String> words = Golden.strings(GOLDEN.members().get("english_stop_words"));

        assertThat(EnglishAnalyzer.ENGLISH_STOP_WORDS_SET).hasSize(words.size());
        for (String word : words) {
            assertThat(Analyzers.named("english").analyze(word)).as(word).isEmpty();
        }
    }

    @Test
    void wordsWithoutLettersOrDigitsTakeNoPosition() {
        assertThat(Analyzers.named("standard").analyze("a \uD83D\uDE00 b"))
                .extracting(Token::text, Token::position)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a", 0),
                        org.assertj.core.groups.Tuple.tuple("b", 1));
        assertThat(Analyzers.named("english").analyze("the \uD83D\uDE00 b"))
                .extracting(Token::text, Token::position)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("b", 1));
    }

    @Test
    void refusesAnUnknownName() {
        assertThatThrownBy(() -> Analyzers.named("french"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("unknown analyzer \"french\"");
    }

    /** What {@link StoredTokens} rests on. */
    @ParameterizedTest
    @ValueSource(strings = {"standard", "english", "simple", "whitespace"})
    void tokensHoldNoAsciiWhiteSpaceAndPositionsAscend(String analyzer) {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        for (int run = 0; run < 2000; run++) {
            String text = randomText(random);
            int previous = -1;
            for (Token token : Analyzers.named(analyzer).analyze(text)) {
                assertThat(token.text()).isNotEmpty();
                assertThat(token.text().chars())
                        .noneMatch(c -> c == ' ' || (c >= 0x09 && c <= 0x0d));
                assertThat(token.position()).isGreaterThan(previous);
                assertThat(text.substring(token.start(), token.end())).isNotEmpty();
                if (!analyzer.equals("whitespace")) {
                    assertThat(token.text()).doesNotContain(StoredTokens.FILLER);
                    assertThat(token.position()).isLessThan(text.length());
                } else {
                    assertThat(token.position()).isEqualTo(previous + 1);
                }
                previous = token.position();
            }
        }
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(40);
        for (int i = 0; i < length; i++) {
            int c =
                    switch (random.nextInt(6)) {
                        case 0 ->
                                "\t\n\u000b\f\r \u0085\u00a0\u2028\u3000\u202f"
                                        .charAt(random.nextInt(11));
                        case 1 -> random.nextInt(0x10000);
                        case 2 -> 0xe000 + random.nextInt(4);
                        case 3 -> 0x1f600 + random.nextInt(80);
                        case 4 -> "'.,_:\u2019\u0300\u200d".charAt(random.nextInt(8));
                        default -> 'a' + random.nextInt(26);
                    };
            if (c >= 0xd800 && c < 0xe000) {
                c = 'x';
            }
            text.appendCodePoint(c);
        }
        return text.toString();
    }
}
