package io.loam.tantivy;

import io.loam.store.query.InvalidQueryException;

import io.indextables.tantivy4java.core.FieldType;
import io.indextables.tantivy4java.core.Index;
import io.indextables.tantivy4java.core.Schema;
import io.indextables.tantivy4java.query.Occur;
import io.indextables.tantivy4java.query.Query;

import javax.annotation.Nullable;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Tantivy's queries, with what its Java binding leaves out built from what it has. Queries live in
 * native memory; closing this frees every one made here.
 */
final class NativeQueries implements AutoCloseable {
    private final Index index;
    private final Schema schema;
    private final List<Query> made = new ArrayList<>();

    NativeQueries(Index index, Schema schema) {
        this.index = index;
        this.schema = schema;
    }

    private Query made(Query query) {
        made.add(query);
        return query;
    }

    Query all() {
        return made(Query.allQuery());
    }

    Query none() {
        return bool(
                List.of(
                        new Query.OccurQuery(Occur.MUST, all()),
                        new Query.OccurQuery(Occur.MUST_NOT, all())));
    }

    Query bool(List<Query.OccurQuery> clauses) {
        return made(Query.booleanQuery(clauses));
    }

    Query must(Query first, Query second) {
        return bool(
                List.of(
                        new Query.OccurQuery(Occur.MUST, first),
                        new Query.OccurQuery(Occur.MUST, second)));
    }

    Query mustNot(Query wanted, Query unwanted) {
        return bool(
                List.of(
                        new Query.OccurQuery(Occur.MUST, wanted),
                        new Query.OccurQuery(Occur.MUST_NOT, unwanted)));
    }

    /** The same documents, all of one score. */
    Query scored(Query query, double score) {
        return made(Query.constScoreQuery(query, score));
    }

    /**
     * @param value as the field's type has it: String, Long (i64, u64 as bits), Double or Boolean
     */
    Query term(String field, Object value) {
        return made(Query.termQuery(schema, field, value));
    }

    Query anyOf(String field, List<Object> values) {
        return made(Query.termSetQuery(schema, field, values));
    }

    /** A term of the field {@code _pk}; only the query language can name bytes. */
    Query key(byte[] canonical) {
        String text = Base64.getEncoder().encodeToString(canonical);
        return parsed(TantivyLayout.KEY + ":\"" + text + "\"");
    }

    /**
     * @param words two or more
     */
    Query phrase(String field, List<String> words) {
        return made(Query.phraseQuery(schema, field, List.copyOf(words)));
    }

    /** A range with at least one bound: without any, native code ends the process. */
    Query range(
            String field,
            FieldType type,
            @Nullable Object low,
            boolean lowInclusive,
            @Nullable Object high,
            boolean highInclusive) {
        return made(Query.rangeQuery(schema, field, type, low, high, lowInclusive, highInclusive));
    }

    /**
     * A bound of a range of dates. A date field that is not fast keeps whole seconds, cut towards
     * zero.
     */
    static LocalDateTime date(long epochMillis, boolean fast) {
        long millis = fast ? epochMillis : epochMillis / 1000 * 1000;
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(millis, 1000L),
                (int) Math.floorMod(millis, 1000L) * 1_000_000,
                ZoneOffset.UTC);
    }

    /** Numbers at a path; bounds are Long, the binding cuts doubles. */
    Query jsonRange(
            String field,
            String path,
            @Nullable Long low,
            boolean lowInclusive,
            @Nullable Long high,
            boolean highInclusive) {
        requireBound(low, high);
        return made(
                Query.jsonRangeQuery(schema, field, path, low, high, lowInclusive, highInclusive));
    }

    /**
     * Numbers at a path between doubles. Only the query language takes them.
     *
     * @param low a decimal number, or {@code *} for no bound
     */
    Query jsonDoubles(
            String field,
            String path,
            String low,
            boolean lowInclusive,
            String high,
            boolean highInclusive) {
        return parsed(
                jsonField(field, path)
                        + (lowInclusive ? ":[" : ":{")
                        + low
                        + " TO "
                        + high
                        + (highInclusive ? "]" : "}"));
    }

    private static void requireBound(@Nullable Object low, @Nullable Object high) {
        if (low == null && high == null) {
            throw new IllegalArgumentException("a range has at least one bound");
        }
    }

    /** Something at the path or below it. */
    Query jsonExists(String field, String path) {
        return made(Query.jsonExistsQuery(schema, field, path, true));
    }

    /** A lower-case string at a path; the binding lower-cases the term of this kind of query. */
    Query jsonString(String field, String path, String value) {
        return made(Query.jsonTermQuery(schema, field, path, value));
    }

    /** A value at a path as a string or, if it can be one, as a number or boolean. */
    Query jsonLiteral(String field, String path, String value) {
        if (value.indexOf('"') >= 0) {
            throw new InvalidQueryException(
                    "an exact string with capitals and double quotes cannot be searched at a Json"
                            + " path; search its words");
        }
        return parsed(jsonField(field, path) + ":" + quoted(value));
    }

    /** Words one after the other at a path of a field with positions. */
    Query jsonPhrase(String field, String path, List<String> words) {
        return jsonLiteral(field, path, String.join(" ", words));
    }

    private Query parsed(String text) {
        return made(index.parseQuery(text, List.of(TantivyLayout.PRESENCE)));
    }

    /** The binding rewrites double quotes before it parses; single ones reach the parser. */
    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static String jsonField(String field, String path) {
        String full = field + "." + path;
        StringBuilder escaped = new StringBuilder(full.length());
        for (int i = 0; i < full.length(); i++) {
            char c = full.charAt(i);
            boolean plain = c == '.' || c == '_' || c > 0x7f || Character.isLetterOrDigit(c);
            escaped.append(plain ? "" : "\\").append(c);
        }
        return escaped.toString();
    }

    @Override
    public void close() {
        made.forEach(Query::close);
        made.clear();
    }
}
