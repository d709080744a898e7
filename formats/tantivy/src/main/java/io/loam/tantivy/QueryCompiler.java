package io.loam.tantivy;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.Coerced;
import io.loam.codec.schema.Coercion;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.FieldKind.Text;
import io.loam.codec.schema.FieldPresence;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.SearchQuery;
import io.loam.tantivy.TantivyLayout.Column;

import io.indextables.tantivy4java.core.FieldType;
import io.indextables.tantivy4java.query.Occur;
import io.indextables.tantivy4java.query.Query;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns a query into Tantivy's. Ranked leaves (match, phrase) score BM25, every other leaf scores
 * 1, filters score nothing. A field the split does not have, because it is older, matches nothing.
 */
final class QueryCompiler {
    private final TantivyLayout layout;
    private final NativeQueries queries;
    private final JsonPathQueries json;

    QueryCompiler(TantivyLayout layout, NativeQueries queries) {
        this.layout = layout;
        this.queries = queries;
        this.json = new JsonPathQueries(layout, queries);
    }

    /** Whether some leaf of a query scores by how well it matches. */
    static boolean isRanked(SearchQuery query) {
        if (query instanceof SearchQuery.Bool bool) {
            return bool.must().stream().anyMatch(QueryCompiler::isRanked)
                    || bool.should().stream().anyMatch(QueryCompiler::isRanked);
        }
        return query instanceof SearchQuery.Match || query instanceof SearchQuery.Phrase;
    }

    Query compile(SearchQuery query) {
        if (query instanceof SearchQuery.All) {
            return queries.all();
        } else if (query instanceof SearchQuery.Match match) {
            return match(match);
        } else if (query instanceof SearchQuery.Phrase phrase) {
            return phrase(phrase);
        } else if (query instanceof SearchQuery.Term term) {
            return queries.scored(term(term), 1);
        } else if (query instanceof SearchQuery.Range range) {
            return queries.scored(range(range), 1);
        } else if (query instanceof SearchQuery.Exists exists) {
            return queries.scored(exists(exists), 1);
        } else if (query instanceof SearchQuery.IsNull isNull) {
            return queries.scored(withJson(isNull.field(), isNull.path(), json::isNull), 1);
        } else if (query instanceof SearchQuery.ValuesCount count) {
            return queries.scored(
                    withJson(
                            count.field(),
                            count.path(),
                            (field, path) ->
                                    json.valuesCount(field, path, count.low(), count.high())),
                    1);
        } else if (query instanceof SearchQuery.Bool bool) {
            return bool(bool);
        } else if (query instanceof SearchQuery.Sparse sparse) {
            return queries.scored(sparse(sparse), 1);
        }
        throw new IllegalArgumentException("unknown query " + query);
    }

    private Query bool(SearchQuery.Bool bool) {
        List<Query.OccurQuery> clauses = new ArrayList<>();
        add(clauses, Occur.MUST, bool.must());
        add(clauses, Occur.SHOULD, bool.should());
        for (SearchQuery filter : bool.filter()) {
            clauses.add(new Query.OccurQuery(Occur.MUST, queries.scored(compile(filter), 0)));
        }
        if (clauses.isEmpty()) {
            // Tantivy finds nothing when a query only excludes.
            clauses.add(new Query.OccurQuery(Occur.MUST, queries.scored(queries.all(), 0)));
        }
        add(clauses, Occur.MUST_NOT, bool.mustNot());
        return queries.bool(clauses);
    }

    private void add(List<Query.OccurQuery> clauses, Occur occur, List<SearchQuery> parts) {
        parts.forEach(part -> clauses.add(new Query.OccurQuery(occur, compile(part))));
    }

    private Query match(SearchQuery.Match match) {
        Optional<Column> column = layout.column(match.field());
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (field.kind() instanceof FieldKind.Json) {
            String path = requirePath(field, match.path());
            return json.match(field.name(), path, match.text(), match.allTokens());
        }
        requireIndexed(field);
        if (!(field.kind() instanceof Text text)) {
            return queries.scored(exact(field, match.text()), 1);
        }
        if (text.analyzer().equals(Analyzers.KEYWORD)) {
            return queries.term(field.name(), match.text());
        }
        List<Query> tokens =
                Analyzers.named(text.analyzer()).analyze(match.text()).stream()
                        .map(token -> queries.term(field.name(), StoredTokens.word(token.text())))
                        .toList();
        return json.combine(tokens, match.allTokens());
    }

    private Query phrase(SearchQuery.Phrase phrase) {
        Optional<Column> column = layout.column(phrase.field());
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (field.kind() instanceof FieldKind.Json) {
            return json.phrase(field.name(), requirePath(field, phrase.path()), phrase.text());
        }
        requireIndexed(field);
        if (!(field.kind() instanceof Text text)) {
            return queries.scored(exact(field, phrase.text()), 1);
        }
        if (text.analyzer().equals(Analyzers.KEYWORD)) {
            return queries.term(field.name(), phrase.text());
        }
        List<String> words =
                StoredTokens.phrase(Analyzers.named(text.analyzer()).analyze(phrase.text()));
        if (words.isEmpty()) {
            return queries.none();
        }
        if (words.size() == 1) {
            return queries.term(field.name(), words.get(0));
        }
        if (!text.positions()) {
            throw new InvalidQueryException(
                    "field " + field.name() + " keeps no positions, so it has no phrases");
        }
        return queries.phrase(field.name(), words);
    }

    private Query term(SearchQuery.Term term) {
        Optional<Column> column = layout.column(term.field());
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (field.kind() instanceof FieldKind.Json) {
            return json.term(field.name(), requirePath(field, term.path()), term.value());
        }
        if (field.kind() instanceof Text) {
            return match(new SearchQuery.Match(field.name(), null, term.value().toString(), true));
        }
        return exact(field, term.value());
    }

    private Query exact(Field field, Object value) {
        Object coerced = coerce(field, value);
        FieldKind kind = field.kind();
        if (kind instanceof FieldKind.Date) {
            Object date = NativeQueries.date((Long) coerced, field.fast());
            return queries.range(field.name(), FieldType.DATE, date, true, date, true);
        }
        if (field.indexed()) {
            return queries.term(field.name(), coerced);
        }
        if (kind instanceof FieldKind.I64) {
            return queries.range(field.name(), FieldType.INTEGER, coerced, true, coerced, true);
        }
        if (kind instanceof FieldKind.F64) {
            return queries.range(field.name(), FieldType.FLOAT, coerced, true, coerced, true);
        }
        requireIndexed(field);
        throw new IllegalStateException("an indexed field was not searched");
    }

    private Query range(SearchQuery.Range range) {
        Optional<Column> column = layout.column(range.field());
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (field.kind() instanceof FieldKind.Json) {
            return json.range(field.name(), requirePath(field, range.path()), range);
        }
        FieldType type = rangeType(field);
        if (range.low() == null && range.high() == null) {
            return exists(new SearchQuery.Exists(range.field(), null));
        }
        // Between whole numbers, 2.5 excluded is 3 included.
        boolean whole = type == FieldType.INTEGER;
        return queries.range(
                field.name(),
                type,
                bound(field, range.low(), true),
                range.lowInclusive() || (whole && isFraction(range.low())),
                bound(field, range.high(), false),
                range.highInclusive() || (whole && isFraction(range.high())));
    }

    private static FieldType rangeType(Field field) {
        if (field.kind() instanceof FieldKind.I64) {
            return FieldType.INTEGER;
        } else if (field.kind() instanceof FieldKind.F64) {
            return FieldType.FLOAT;
        } else if (field.kind() instanceof FieldKind.Date) {
            return FieldType.DATE;
        }
        throw new InvalidQueryException(
                "field "
                        + field.name()
                        + " has no ranges; i64, f64 and date fields and Json paths have");
    }

    @Nullable
    private static Object bound(Field field, @Nullable Object value, boolean low) {
        if (value == null) {
            return null;
        }
        if (field.kind() instanceof FieldKind.I64 && isFraction(value)) {
            double bound = (Double) value;
            return (long) (low ? Math.ceil(bound) : Math.floor(bound));
        }
        Object coerced = coerce(field, value);
        return field.kind() instanceof FieldKind.Date
                ? NativeQueries.date((Long) coerced, field.fast())
                : coerced;
    }

    private static boolean isFraction(@Nullable Object value) {
        return value instanceof Double number && number != Math.rint(number);
    }

    private Query exists(SearchQuery.Exists exists) {
        Optional<Column> column = layout.column(exists.field());
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (field.kind() instanceof FieldKind.Json) {
            return json.exists(field.name(), exists.path() == null ? "" : exists.path());
        }
        return queries.term(TantivyLayout.PRESENCE, FieldPresence.term(column.get().id()));
    }

    private interface JsonQuery {
        Query of(String field, String path);
    }

    private Query withJson(String name, String path, JsonQuery query) {
        Optional<Column> column = layout.column(name);
        if (column.isEmpty()) {
            return queries.none();
        }
        Field field = column.get().field();
        if (!(field.kind() instanceof FieldKind.Json)) {
            throw new InvalidQueryException(
                    "field " + name + " is not a Json field, only those know nulls and counts");
        }
        return query.of(name, requirePath(field, path));
    }

    private Query sparse(SearchQuery.Sparse sparse) {
        boolean known =
                layout.sparse().stream().anyMatch(vector -> vector.name().equals(sparse.vector()));
        if (!known) {
            throw new InvalidQueryException("there is no sparse vector " + sparse.vector());
        }
        List<Object> indices = new ArrayList<>(sparse.indices().length);
        for (int index : sparse.indices()) {
            indices.add(Integer.toUnsignedLong(index));
        }
        return indices.isEmpty()
                ? queries.none()
                : queries.anyOf(TantivyLayout.indices(sparse.vector()), indices);
    }

    private static String requirePath(Field field, @Nullable String path) {
        if (path == null) {
            throw new InvalidQueryException(
                    "field " + field.name() + " is a Json field, ask for a path below it");
        }
        return path;
    }

    private static void requireIndexed(Field field) {
        if (!field.indexed()) {
            throw new InvalidQueryException(
                    "field " + field.name() + " is not indexed, so it cannot be searched");
        }
    }

    private static Object coerce(Field field, Object value) {
        Coerced coerced = Coercion.coerce(field.kind(), json(value));
        if (coerced instanceof Coerced.Value ok) {
            return ok.value() instanceof Double number ? (Object) (number + 0.0) : ok.value();
        }
        String why =
                coerced instanceof Coerced.Malformed malformed ? malformed.message() : "no value";
        throw new InvalidQueryException("field " + field.name() + ": " + why);
    }

    private static JsonValue json(Object value) {
        if (value instanceof String text) {
            return new JsonString(text);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            return new JsonDouble(number);
        } else if (value instanceof Boolean bool) {
            return new JsonBoolean(bool);
        } else if (value instanceof Long || value instanceof Integer) {
            return JsonInteger.of(((Number) value).longValue());
        }
        return new JsonString(value.toString());
    }
}
