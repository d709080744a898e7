package io.loam.store.query;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.Coerced;
import io.loam.codec.schema.Coercion;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.DateText;
import io.loam.store.query.QueryFields.Target;
import io.loam.store.query.QueryScanner.Piece;

import javax.annotation.Nullable;

import java.math.BigInteger;
import java.util.regex.Pattern;

/** Parses what is asked of one named field. */
final class QueryLeaves {
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");
    private static final BigInteger MAX_UNSIGNED = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private final QueryScanner scanner;
    private final QueryFields fields;

    QueryLeaves(QueryScanner scanner, QueryFields fields) {
        this.scanner = scanner;
        this.fields = fields;
    }

    /** What follows a name; the scanner is at the colon. */
    SearchQuery named(Piece name) {
        Target target =
                fields.find(name.text())
                        .orElseThrow(
                                () ->
                                        scanner.error(
                                                name.position(),
                                                "there is no field \""
                                                        + name.text()
                                                        + "\"; "
                                                        + fields.listed()
                                                        + "; to look for a colon, put a \\ before"
                                                        + " it"));
        scanner.skip(':');
        char first = scanner.peek();
        if (first == '[' || first == '{') {
            return range(target);
        }
        if (first == '<' || first == '>' || first == '=') {
            return comparison(target);
        }
        Piece value = value("a word, a \"phrase\", a [range TO range], a comparison or *");
        if (value.bare() && value.text().equals("*")) {
            return new SearchQuery.Exists(target.field().name(), target.path());
        }
        return target.isJson() ? jsonValue(target, value) : typedValue(target, value);
    }

    /** A comparison right behind a name. */
    SearchQuery compared(Piece name) {
        return comparison(fields.find(name.text()).orElseThrow());
    }

    private Piece value(String allowed) {
        int start = scanner.position();
        Piece value = scanner.peek() == '"' ? scanner.quoted() : scanner.word("");
        if (!value.quoted() && value.text().isEmpty()) {
            throw scanner.error(start, "expected " + allowed);
        }
        return value;
    }

    private SearchQuery typedValue(Target target, Piece value) {
        String field = target.field().name();
        if (target.field().kind() instanceof FieldKind.Text text) {
            if (!value.quoted()) {
                return new SearchQuery.Match(field, null, value.text(), true);
            }
            if (!text.positions() && !text.analyzer().equals("keyword")) {
                throw scanner.error(
                        value.position(),
                        "field " + field + " keeps no positions, so it has no phrases");
            }
            return new SearchQuery.Phrase(field, null, value.text());
        }
        return new SearchQuery.Term(field, null, scalar(target, value));
    }

    private SearchQuery jsonValue(Target target, Piece value) {
        String field = target.field().name();
        String path = requirePath(target, value.position());
        if (value.quoted()) {
            return new SearchQuery.Phrase(field, path, value.text());
        }
        if (value.bare() && value.text().equals("null")) {
            return new SearchQuery.IsNull(field, path);
        }
        Object typed = literal(value);
        return typed instanceof String text
                ? new SearchQuery.Match(field, path, text, true)
                : new SearchQuery.Term(field, path, typed);
    }

    private SearchQuery comparison(Target target) {
        int start = scanner.position();
        boolean low = scanner.skip('>');
        boolean high = !low && scanner.skip('<');
        boolean inclusive = scanner.skip('=');
        scanner.skipSpace();
        Piece value = value("a value to compare with");
        String field = target.field().name();
        if (!low && !high) {
            if (target.isJson()) {
                String path = requirePath(target, start);
                return new SearchQuery.Term(field, path, literal(value));
            }
            return new SearchQuery.Term(field, null, scalar(target, value));
        }
        requireRanges(target, start);
        Object bound = bound(target, value);
        return new SearchQuery.Range(
                field,
                target.path(),
                low ? bound : null,
                !low || inclusive,
                low ? null : bound,
                low || inclusive);
    }

    private SearchQuery range(Target target) {
        int start = scanner.position();
        requireRanges(target, start);
        boolean lowInclusive = scanner.skip('[');
        if (!lowInclusive) {
            scanner.skip('{');
        }
        Object low = rangeBound(target);
        scanner.skipSpace();
        if (!scanner.skipKeyword("TO")) {
            throw scanner.error(
                    scanner.position(), "expected TO, a range is [low TO high] or {low TO high}");
        }
        Object high = rangeBound(target);
        scanner.skipSpace();
        boolean highInclusive = scanner.skip(']');
        if (!highInclusive && !scanner.skip('}')) {
            throw scanner.error(scanner.position(), "expected ] or } at the end of the range");
        }
        return new SearchQuery.Range(
                target.field().name(), target.path(), low, lowInclusive, high, highInclusive);
    }

    @Nullable
    private Object rangeBound(Target target) {
        scanner.skipSpace();
        Piece value = value("a bound of the range, * for none");
        return value.bare() && value.text().equals("*") ? null : bound(target, value);
    }

    private void requireRanges(Target target, int position) {
        FieldKind kind = target.field().kind();
        if (target.isJson()) {
            requirePath(target, position);
        } else if (!(kind instanceof FieldKind.I64
                || kind instanceof FieldKind.F64
                || kind instanceof FieldKind.Date)) {
            throw scanner.error(
                    position,
                    "field "
                            + target.field().name()
                            + " is "
                            + Coercion.kindName(kind)
                            + " and has no ranges; i64, f64 and date fields and Json paths have");
        }
    }

    private Object bound(Target target, Piece value) {
        if (!target.isJson()) {
            return scalar(target, value);
        }
        Object bound = literal(value);
        boolean date = bound instanceof String text && DateText.formatted(text).isPresent();
        boolean number = bound instanceof Long || bound instanceof Double;
        if (!date && !number) {
            throw scanner.error(
                    value.position(),
                    "a range of a Json path goes from and to numbers or dates, not \""
                            + value.text()
                            + "\"");
        }
        return bound;
    }

    /** A value of a field that is no Json field, checked against its kind. */
    private Object scalar(Target target, Piece value) {
        FieldKind kind = target.field().kind();
        boolean number = kind instanceof FieldKind.I64 || kind instanceof FieldKind.F64;
        Object typed = number ? literal(value) : value.text();
        if (typed instanceof BigInteger || typed instanceof Boolean) {
            typed = value.text();
        }
        Coerced coerced = Coercion.coerce(kind, json(typed));
        if (coerced instanceof Coerced.Malformed malformed) {
            throw scanner.error(
                    value.position(),
                    "field " + target.field().name() + ": " + malformed.message());
        }
        return typed;
    }

    private static JsonValue json(Object value) {
        if (value instanceof Long integer) {
            return JsonInteger.of(integer);
        } else if (value instanceof Double number) {
            return new JsonDouble(number);
        }
        return new JsonString((String) value);
    }

    /** A Long, BigInteger (to 2^64 - 1), Double, Boolean or, if it is none, the text. */
    private static Object literal(Piece value) {
        String text = value.text();
        if (!value.bare()) {
            return text;
        }
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        if (!NUMBER.matcher(text).matches()) {
            return text;
        }
        if (INTEGER.matcher(text).matches()) {
            BigInteger integer = new BigInteger(text);
            if (integer.compareTo(MIN_LONG) >= 0 && integer.compareTo(MAX_LONG) <= 0) {
                return integer.longValueExact();
            }
            if (integer.signum() > 0 && integer.compareTo(MAX_UNSIGNED) <= 0) {
                return integer;
            }
        }
        double number = Double.parseDouble(text);
        return Double.isFinite(number) ? (Object) number : text;
    }

    private String requirePath(Target target, int position) {
        if (target.path() == null) {
            String field = target.field().name();
            throw scanner.error(
                    position,
                    "field "
                            + field
                            + " is a Json field, name a path below it: "
                            + field
                            + ".path:value");
        }
        return target.path();
    }
}
