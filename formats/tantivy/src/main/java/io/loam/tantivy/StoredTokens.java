package io.loam.tantivy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Tokens as Tantivy gets them: a text that the tokenizer {@code whitespace} of its Java binding
 * turns into the same tokens at the same positions. That tokenizer cuts at ASCII white space, drops
 * words of 255 bytes and more, and lower-cases.
 *
 * <pre>
 * text   = word (" " word)*
 * word   = filler | digest | (plain | upper | code)*
 * filler = U+E000, once for every position without a token that comes before a token
 * digest = U+E001 | 64 hex digits: the SHA-256 of the UTF-8 of a token that would take 255 or more
 *          bytes
 * plain  = a character that lower-casing leaves alone, none of U+E000 to U+E003
 * upper  = U+E002 | the lower case of a character that is the upper case of that
 * code   = U+E003 | hex digits of any other character | U+E003
 * </pre>
 *
 * <p>No analyzer whose tokens go this way yields ASCII white space inside a token, so words do not
 * fall apart, and no token is stored as a filler.
 */
final class StoredTokens {
    static final String FILLER = "\uE000";
    private static final char DIGEST = '\uE001';
    private static final char UPPER = '\uE002';
    private static final char CODE = '\uE003';
    private static final int MAX_BYTES = 254;

    private StoredTokens() {}

    /** The text to store for a value, made token by token: a large text has millions. */
    static String text(TextAnalyzer analyzer, String value) {
        StringBuilder text = new StringBuilder();
        int[] next = {0};
        analyzer.analyze(
                value,
                token -> {
                    for (; next[0] < token.position(); next[0]++) {
                        append(text, FILLER);
                    }
                    append(text, word(token.text()));
                    next[0] = token.position() + 1;
                });
        return text.toString();
    }

    private static void append(StringBuilder text, String word) {
        if (!text.isEmpty()) {
            text.append(' ');
        }
        text.append(word);
    }

    /** The words of a phrase: the tokens from the first on, fillers between them. */
    static List<String> phrase(List<Token> tokens) {
        return tokens.isEmpty() ? List.of() : words(tokens, tokens.get(0).position());
    }

    private static List<String> words(List<Token> tokens, int firstPosition) {
        List<String> words = new ArrayList<>(tokens.size());
        int next = firstPosition;
        for (Token token : tokens) {
            for (; next < token.position(); next++) {
                words.add(FILLER);
            }
            words.add(word(token.text()));
            next = token.position() + 1;
        }
        return words;
    }

    /** The word a token is stored as. */
    static String word(String token) {
        String word = isPlain(token) ? token : escape(token);
        // A UTF-16 unit takes at most three bytes.
        boolean fits =
                word.length() * 3 <= MAX_BYTES
                        || word.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES;
        return fits ? word : DIGEST + digest(token.getBytes(StandardCharsets.UTF_8));
    }

    /** A loop: a stream for each token would be a fifth of what text costs. */
    private static boolean isPlain(String token) {
        for (int i = 0, c; i < token.length(); i += Character.charCount(c)) {
            c = token.codePointAt(i);
            if (!isPlain(c)) {
                return false;
            }
        }
        return true;
    }

    private static String escape(String token) {
        StringBuilder word = new StringBuilder(2 * token.length());
        token.codePoints()
                .forEach(
                        c -> {
                            int lower = Character.toLowerCase(c);
                            if (isPlain(c)) {
                                word.appendCodePoint(c);
                            } else if (isPlain(lower) && Character.toUpperCase(lower) == c) {
                                word.append(UPPER).appendCodePoint(lower);
                            } else {
                                word.append(CODE).append(Integer.toHexString(c)).append(CODE);
                            }
                        });
        return word.toString();
    }

    private static boolean isPlain(int c) {
        if (c < 0x80) {
            return c < 'A' || c > 'Z';
        }
        String text = Character.toString(c);
        return (c < FILLER.charAt(0) || c > CODE) && text.toLowerCase(Locale.ROOT).equals(text);
    }

    private static String digest(byte[] utf8) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
