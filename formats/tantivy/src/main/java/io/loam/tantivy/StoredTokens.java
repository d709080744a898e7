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
 * word   = token | filler | digest
 * filler = U+E000, once for every position without a token that comes before a token
 * digest = U+E001 | 64 hex digits: the SHA-256 of the UTF-8 of a token that is not lower-case or
 *          has 255 or more bytes
 * </pre>
 *
 * <p>No analyzer whose tokens go this way yields ASCII white space inside a token, and none that
 * leaves positions out yields the filler.
 */
final class StoredTokens {
    static final String FILLER = "\uE000";
    private static final char DIGEST = '\uE001';
    private static final int MAX_BYTES = 254;

    private StoredTokens() {}

    /** The text to store for a value's tokens. */
    static String text(List<Token> tokens) {
        return String.join(" ", words(tokens, 0));
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
        // A UTF-16 unit takes at most three bytes.
        boolean fits =
                token.length() * 3 <= MAX_BYTES
                        || token.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES;
        return fits && token.toLowerCase(Locale.ROOT).equals(token)
                ? token
                : DIGEST + digest(token.getBytes(StandardCharsets.UTF_8));
    }

    private static String digest(byte[] utf8) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
