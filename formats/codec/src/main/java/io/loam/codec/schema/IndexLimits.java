package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema.FieldKind;

/**
 * What a split can index of one document. A document beyond it is turned away before it changes
 * anything, as it would fail every attempt to build its split.
 *
 * <p>Native code takes at most 100 MB at once, and a document goes there whole. Its size there is
 * bounded from above: first with three bytes for each UTF-16 unit, which clears all but very large
 * documents, then with the bytes counted.
 */
final class IndexLimits {
    /** Of what a document's fields hold as they are stored; a batch before it may hold 4 MiB. */
    static final long MAX_DOCUMENT_BYTES = 95_000_000;

    /** Of a value that is one term; the index leaves longer ones out. */
    static final int MAX_TERM_BYTES = 65_530;

    /** Length prefix, path and brackets, date and count of a leaf or value. */
    private static final int VALUE_BYTES = 48;

    private static final int MAX_BYTES_PER_UNIT = 3;

    /** The text of paths below a Json field is bounded, and stands in up to four columns. */
    private static final int MAX_PATH_UNITS = 2 << 20;

    private static final int PATH_COLUMNS = 4;
    private static final int MAX_ESCAPED_UNIT = 6;

    /** A stop word of one letter becomes a filler of three bytes. */
    private static final int WORDS_GROWTH = 2;

    /** A word of capitals or rare characters is escaped. */
    private static final int ESCAPED_WORDS_GROWTH = 5;

    private final boolean counted;
    private long pathUnits;

    private IndexLimits(boolean counted) {
        this.counted = counted;
    }

    /** Takes three bytes for each UTF-16 unit. */
    static IndexLimits estimated() {
        return new IndexLimits(false);
    }

    /** Counts bytes. */
    static IndexLimits counted() {
        return new IndexLimits(true);
    }

    static boolean isLongTerm(FieldKind kind, Object value) {
        return isOneTerm(kind)
                && value instanceof String text
                && text.length() > MAX_TERM_BYTES / MAX_BYTES_PER_UNIT
                && utf8(text) > MAX_TERM_BYTES;
    }

    private static boolean isOneTerm(FieldKind kind) {
        return kind instanceof FieldKind.Keyword
                || (kind instanceof FieldKind.Text text && text.analyzer().equals("keyword"));
    }

    /** Bytes of a value of any kind but Json. */
    long value(FieldKind kind, Object value) {
        return value instanceof String text
                ? VALUE_BYTES + growth(kind) * bytes(text)
                : VALUE_BYTES;
    }

    private static int growth(FieldKind kind) {
        if (!(kind instanceof FieldKind.Text) || isOneTerm(kind)) {
            return 1;
        }
        boolean lowerCase = !((FieldKind.Text) kind).analyzer().equals("whitespace");
        return lowerCase ? WORDS_GROWTH : ESCAPED_WORDS_GROWTH;
    }

    /** Bytes of an object in all the columns of a Json field. */
    long json(JsonObject object) {
        pathUnits = 0;
        long values = members(0, object);
        long paths = Math.min(pathUnits, MAX_PATH_UNITS);
        return VALUE_BYTES + values + paths * PATH_COLUMNS * MAX_ESCAPED_UNIT;
    }

    private long members(int prefix, JsonObject object) {
        long sum = 0;
        for (var member : object.members().entrySet()) {
            int path = prefix + member.getKey().length();
            pathUnits += path;
            sum += leaves(path, member.getValue());
        }
        return sum;
    }

    private long leaves(int path, JsonValue value) {
        if (value instanceof JsonObject object) {
            return VALUE_BYTES + members(path + 1, object);
        } else if (value instanceof JsonArray array) {
            long sum = 0;
            for (JsonValue element : array.values()) {
                sum += leaves(path, element);
            }
            return sum;
        } else if (value instanceof JsonString string) {
            String text = string.value();
            return VALUE_BYTES + escaped(text) + WORDS_GROWTH * bytes(text);
        }
        return VALUE_BYTES;
    }

    /** Bytes of a sparse vector: its terms, and its weights. */
    static long sparse(SparseVector vector) {
        return VALUE_BYTES + 2L * Long.BYTES * (vector.indices().length + 1L);
    }

    private long bytes(String text) {
        return counted ? utf8(text) : (long) MAX_BYTES_PER_UNIT * text.length();
    }

    private long escaped(String text) {
        if (!counted) {
            return (long) MAX_ESCAPED_UNIT * text.length();
        }
        long bytes = utf8(text);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ') {
                bytes += MAX_ESCAPED_UNIT - 1;
            } else if (c == '"' || c == '\\') {
                bytes++;
            }
        }
        return bytes;
    }

    private static long utf8(String text) {
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                // Each half of a surrogate pair stands for two of its four bytes.
                bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
            }
        }
        return bytes;
    }
}
