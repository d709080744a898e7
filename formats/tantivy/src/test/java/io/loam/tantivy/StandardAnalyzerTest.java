package io.loam.tantivy;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** What is stored is what the tokens come to, whichever way it is made. */
class StandardAnalyzerTest {
    private static final TextAnalyzer STANDARD = Analyzers.named(Analyzers.STANDARD);

    /** A letter of each case, and every character that joins, parts or is neither. */
    private static final String KINDS = "aZ7_.':,;-\" ";

    private final Map<String, String> wrong = new TreeMap<>();

    private void check(String text) {
        String stored = STANDARD.stored(text);
        if (!stored.equals(StoredTokens.text(STANDARD, text))) {
            wrong.put(text, stored);
        }
    }

    @Test
    void everyShortTextOfAllKindsOfCharacters() {
        check("");
        for (int length = 1, texts = KINDS.length(); length <= 5; length++) {
            for (int number = 0; number < texts; number++) {
                StringBuilder text = new StringBuilder();
                for (int i = 0, rest = number; i < length; i++, rest /= KINDS.length()) {
                    text.append(KINDS.charAt(rest % KINDS.length()));
                }
                check(text.toString());
            }
            texts *= KINDS.length();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyCharacterBetweenAllKindsOfCharacters() {
        for (int c = 0; c < 0x3100; c++) {
            for (int before = 0; before < KINDS.length(); before++) {
                for (int after = 0; after < KINDS.length(); after++) {
                    check("b" + KINDS.charAt(before) + (char) c + KINDS.charAt(after) + "2");
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void randomTextWithLongWordsAndOtherScripts() {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        Random random = new Random(seed);
        for (int run = 0; run < 20_000; run++) {
            check(randomText(random));
        }
        assertThat(wrong).isEmpty();
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i > 0; i--) {
            switch (random.nextInt(9)) {
                case 0 -> text.append(" \t\n\r\u001f\u007f\u0085\u00a0".charAt(random.nextInt(8)));
                case 1 ->
                        text.append(
                                "e\u0301\u200d\u00ad\u2019\u3042\u30ab".charAt(random.nextInt(7)));
                case 2 -> text.appendCodePoint(random.nextInt(Character.MIN_SURROGATE));
                case 3 -> text.appendCodePoint(0x1f600 + random.nextInt(80)).append('\ufe0f');
                case 4 ->
                        text.append(
                                (random.nextBoolean() ? "Ab" : "7").repeat(random.nextInt(280)));
                default -> text.append(KINDS.charAt(random.nextInt(KINDS.length())));
            }
        }
        return text.toString();
    }
}
