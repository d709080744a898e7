package io.loam.tantivy;

import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.Coerced;
import io.loam.codec.schema.Coercion;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;

import io.indextables.tantivy4java.query.Occur;
import io.indextables.tantivy4java.query.Query;

import javax.annotation.Nullable;

import java.math.BigInteger;
import java.util.List;
import java.util.Locale;

/** Queries on a path of a Json field. */
final class JsonPathQueries {
    private final TantivyLayout layout;
    private final NativeQueries queries;

    JsonPathQueries(TantivyLayout layout, NativeQueries queries) {
        this.layout = layout;
        this.queries = queries;
    }

    /** Documents with any (or all) of these; nothing when there are none. */
    Query combine(List<Query> tokens, boolean all) {
        if (tokens.isEmpty()) {
            return queries.none();
        }
        Occur occur = all ? Occur.MUST : Occur.SHOULD;
        return tokens.size() == 1
                ? tokens.get(0)
                : queries.bool(
                        tokens.stream().map(token -> new Query.OccurQuery(occur, token)).toList());
    }

    Query match(String field, String path, String text, boolean all) {
        String words = TantivyLayout.words(field);
        return combine(
                Analyzers.named(Analyzers.STANDARD).analyze(text).stream()
                        .map(token -> StoredTokens.word(token.text()))
                        .map(word -> queries.jsonString(words, path, word))
                        .toList(),
                all);
    }

    Query phrase(String field, String path, String text) {
        String words = TantivyLayout.words(field);
        List<String> phrase =
                StoredTokens.phrase(Analyzers.named(Analyzers.STANDARD).analyze(text));
        if (phrase.isEmpty()) {
            return queries.none();
        }
        requireVisible(words, path);
        return queries.jsonPhrase(words, path, phrase);
    }

    /**
     * A value of the same JSON type. Of a document that holds a value both as a string and as a
     * number or boolean at one path, only the number is certain to be found.
     */
    Query term(String field, String path, Object value) {
        requireVisible(field, path);
        if (value instanceof String text) {
            return string(field, path, text);
        }
        if (value instanceof Integer integer) {
            return term(field, path, integer.longValue());
        }
        if (value instanceof Double number && !Double.isFinite(number)) {
            return queries.none();
        }
        String literal = value.toString();
        Query anyType = queries.jsonLiteral(field, path, literal);
        if (value instanceof Boolean || value instanceof BigInteger) {
            return queries.mustNot(anyType, string(field, path, literal));
        }
        return queries.must(
                anyType,
                new JsonNumberRanges(queries, field, path).range(value, true, value, true));
    }

    /** Demands the words, too, because a literal such as 1E5 is also found as a number. */
    private Query string(String field, String path, String text) {
        return text.toLowerCase(Locale.ROOT).equals(text)
                ? queries.jsonString(field, path, text)
                : queries.must(
                        queries.jsonLiteral(field, path, text), match(field, path, text, true));
    }

    /** Numbers, or dates when a bound is one. */
    Query range(String field, String path, SearchQuery.Range range) {
        boolean dates = range.low() instanceof String || range.high() instanceof String;
        String name = dates ? TantivyLayout.dates(field) : field;
        requireVisible(name, path);
        Object low = dates ? date(path, range.low()) : number(path, range.low());
        Object high = dates ? date(path, range.high()) : number(path, range.high());
        if (low == null && high == null) {
            return exists(field, path);
        }
        return new JsonNumberRanges(queries, name, path)
                .range(low, range.lowInclusive(), high, range.highInclusive());
    }

    @Nullable
    private static Object number(String path, @Nullable Object bound) {
        if (bound instanceof Integer integer) {
            return integer.longValue();
        }
        boolean finite = bound instanceof Double number && Double.isFinite(number);
        if (bound == null || bound instanceof Long || finite) {
            return bound;
        }
        throw new InvalidQueryException(
                "a range of " + path + " goes from and to numbers or dates, not " + bound);
    }

    @Nullable
    private static Long date(String path, @Nullable Object bound) {
        if (bound == null) {
            return null;
        }
        Coerced date = Coercion.coerce(new FieldKind.Date(), new JsonString(bound.toString()));
        if (date instanceof Coerced.Value value) {
            return (Long) value.value();
        }
        throw new InvalidQueryException(
                "a range of " + path + " goes from and to numbers or dates, not " + bound);
    }

    Query exists(String field, String path) {
        requireVisible(field, path);
        return queries.jsonExists(field, path);
    }

    Query isNull(String field, String path) {
        return queries.term(TantivyLayout.nulls(field), path);
    }

    Query valuesCount(String field, String path, long low, long high) {
        String counts = TantivyLayout.counts(field);
        requireVisible(counts, path);
        if (high < low || high < 0) {
            return queries.none();
        }
        Query none = queries.mustNot(queries.all(), exists(field, path));
        if (high == 0) {
            return none;
        }
        Query some = queries.jsonRange(counts, path, Math.max(low, 1L), true, high, true);
        return low > 0 ? some : combine(List.of(some, none), false);
    }

    /**
     * Tantivy finds a path by the longest field name it starts with, so another field named like
     * the path's start would answer instead.
     */
    private void requireVisible(String field, String path) {
        int longest = layout.longestName();
        for (int dot = path.indexOf('.'); ; dot = path.indexOf('.', dot + 1)) {
            String hiding = field + "." + (dot < 0 ? path : path.substring(0, dot));
            if (layout.hasField(hiding)) {
                throw new InvalidQueryException(
                        "path "
                                + path
                                + " of field "
                                + field
                                + " cannot be searched, the field "
                                + hiding
                                + " hides it");
            }
            // Longer pieces cannot be fields, and a path of dots has as many pieces as bytes.
            if (dot < 0 || hiding.length() > longest) {
                return;
            }
        }
    }
}
