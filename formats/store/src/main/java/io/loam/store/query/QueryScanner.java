package io.loam.store.query;

/** Reads a query's text piece by piece. */
final class QueryScanner {
    private static final String ENDS_WORD = "()\"[]{}";

    /**
     * A piece of text without its quotes and escapes.
     *
     * @param bare it had neither, so that it can mean more than its characters
     */
    record Piece(String text, boolean quoted, boolean bare, int position) {}

    private final String text;
    private int at;

    QueryScanner(String text) {
        this.text = text;
    }

    int position() {
        return at;
    }

    void reset(int position) {
        at = position;
    }

    void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    boolean atEnd() {
        return at == text.length();
    }

    /** The next character, or 0 at the end. */
    char peek() {
        return atEnd() ? 0 : text.charAt(at);
    }

    boolean skip(char c) {
        if (peek() != c || atEnd()) {
            return false;
        }
        at++;
        return true;
    }

    /** Skips a word in capitals that is followed by white space or a parenthesis. */
    boolean skipKeyword(String keyword) {
        int end = at + keyword.length();
        boolean found =
                text.startsWith(keyword, at)
                        && (end == text.length()
                                || Character.isWhitespace(text.charAt(end))
                                || text.charAt(end) == '('
                                || text.charAt(end) == ')');
        if (found) {
            at = end;
        }
        return found;
    }

    boolean atKeyword(String keyword) {
        int start = at;
        boolean found = skipKeyword(keyword);
        at = start;
        return found;
    }

    /** The text in double quotes that starts here. */
    Piece quoted() {
        int start = at++;
        StringBuilder out = new StringBuilder();
        while (!atEnd() && peek() != '"') {
            out.append(next());
        }
        if (!skip('"')) {
            throw error(start, "this quote is never closed");
        }
        return new Piece(out.toString(), true, false, start);
    }

    /**
     * The characters up to white space, a bracket, a quote or, unescaped, one of {@code stops}; may
     * be empty.
     */
    Piece word(String stops) {
        int start = at;
        StringBuilder out = new StringBuilder();
        while (!atEnd()
                && !Character.isWhitespace(peek())
                && ENDS_WORD.indexOf(peek()) < 0
                && stops.indexOf(peek()) < 0) {
            out.append(next());
        }
        return new Piece(out.toString(), false, at - start == out.length(), start);
    }

    private char next() {
        if (peek() == '\\') {
            at++;
            if (atEnd()) {
                throw error(at - 1, "nothing follows the backslash");
            }
        }
        return text.charAt(at++);
    }

    /**
     * @param position counted from 0; people get it counted from 1
     */
    InvalidQueryException error(int position, String message) {
        return new InvalidQueryException("query, character " + (position + 1) + ": " + message);
    }
}
