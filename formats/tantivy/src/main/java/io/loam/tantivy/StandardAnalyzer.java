package io.loam.tantivy;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The analyzer {@code standard}. What a split stores is made without a token stream where the text
 * is ASCII, as most of what indexing text costs would be spent there: between ASCII characters UAX
 * #29 comes to
 *
 * <pre>
 * word = runs of letters, digits and "_" that hold a letter or digit, joined by
 *        "." or "'" between two letters or two digits, ":" between two letters,
 *        "," or ";" between two digits
 * </pre>
 *
 * Blanks and controls part words whatever stands around them. A stretch between two of them that is
 * long, or holds any other character, goes through the tokens.
 */
final class StandardAnalyzer implements TextAnalyzer {
    /** Tokens of more characters are cut, or stored as a digest. */
    private static final int LONG = 200;

    private static final int LETTER = 1;
    private static final int DIGIT = 2;
    private static final int CONNECTOR = 4;
    private static final int IN_WORD = LETTER | DIGIT | CONNECTOR;
    private static final int JOIN_SHIFT = 3;
    private static final byte[] KINDS = kinds();

    private final TextAnalyzer tokens;

    /**
     * @param tokens the same analyzer for any text
     */
    StandardAnalyzer(TextAnalyzer tokens) {
        this.tokens = tokens;
    }

    private static byte[] kinds() {
        byte[] kinds = new byte[0x80];
        for (char c = 'a'; c <= 'z'; c++) {
            kinds[c] = LETTER;
            kinds[Character.toUpperCase(c)] = LETTER;
        }
        for (char c = '0'; c <= '9'; c++) {
            kinds[c] = DIGIT;
        }
        kinds['_'] = CONNECTOR;
        kinds['.'] = (LETTER | DIGIT) << JOIN_SHIFT;
        kinds['\''] = (LETTER | DIGIT) << JOIN_SHIFT;
        kinds[':'] = LETTER << JOIN_SHIFT;
        kinds[','] = DIGIT << JOIN_SHIFT;
        kinds[';'] = DIGIT << JOIN_SHIFT;
        return kinds;
    }

    @Override
    public void analyze(String text, Consumer<Token> to) {
        tokens.analyze(text, to);
    }

    @Override
    public String stored(String text) {
        char[] chars = text.toCharArray();
        Words words = new Words(chars.length);
        for (int from = 0; from < chars.length; ) {
            int all = 0;
            int to = from;
            while (to < chars.length && chars[to] > ' ') {
                all |= chars[to++];
            }
            if (all >= 0x80 || to - from > LONG) {
                words.addAll(tokens.stored(text.substring(from, to)));
            } else {
                words.addWords(chars, from, to);
            }
            from = to + 1;
        }
        return words.toString();
    }

    /** Words with a blank between each two. */
    private static final class Words {
        private char[] out;
        private int length;

        Words(int capacity) {
            out = new char[capacity];
        }

        void addAll(String words) {
            if (words.isEmpty()) {
                return;
            }
            reserve(1 + words.length());
            blank();
            words.getChars(0, words.length(), out, length);
            length += words.length();
        }

        /** Takes the words of ASCII text, which are not longer than it is. */
        void addWords(char[] text, int from, int to) {
            reserve(1 + to - from);
            for (int at = from; at < to; at++) {
                if ((KINDS[text[at]] & IN_WORD) != 0) {
                    at = addWord(text, at, to);
                }
            }
        }

        /** Takes the word that starts here; returns where it ends. */
        private int addWord(char[] text, int from, int to) {
            int before = length;
            blank();
            int seen = 0;
            int at = from;
            while (at < to) {
                int kind = KINDS[text[at]];
                boolean inside = (kind & IN_WORD) != 0;
                if (!inside
                        && (at + 1 == to
                                || (kind >> JOIN_SHIFT & KINDS[text[at - 1]] & KINDS[text[at + 1]])
                                        == 0)) {
                    break;
                }
                seen |= kind & IN_WORD;
                char c = text[at++];
                out[length++] = c >= 'A' && c <= 'Z' ? (char) (c | 0x20) : c;
            }
            if ((seen & ~CONNECTOR) == 0) {
                length = before;
            }
            return at;
        }

        private void blank() {
            if (length > 0) {
                out[length++] = ' ';
            }
        }

        private void reserve(int more) {
            if (out.length - length < more) {
                out = Arrays.copyOf(out, Math.max(length + more, 2 * length));
            }
        }

        @Override
        public String toString() {
            return new String(out, 0, length);
        }
    }
}
