package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.store.query.InvalidQueryException;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;

import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.util.List;
import java.util.function.Supplier;

/** Queries and filters in their text form. */
final class SearchQueries {
    private SearchQueries() {}

    /**
     * A query that ranks, and a filter that does not.
     *
     * @param filter null for none
     * @throws ValueException if one of them cannot be parsed
     */
    static SearchQuery filtered(String query, @Nullable String filter, CollectionSchema schema) {
        SearchQuery ranked = parse("query", query, schema);
        return filter == null
                ? ranked
                : new SearchQuery.Bool(
                        List.of(ranked),
                        List.of(),
                        List.of(parse("filter", filter, schema)),
                        List.of());
    }

    /** A filter; null for null. */
    @Nullable
    static SearchQuery filter(@Nullable String filter, CollectionSchema schema) {
        return filter == null ? null : parse("filter", filter, schema);
    }

    /** Parses when a statement is planned, where errors are those of the statement. */
    static void planned(Supplier<SearchQuery> parsed) {
        try {
            parsed.get();
        } catch (ValueException e) {
            throw new ValidationException(e.getMessage(), e);
        }
    }

    /**
     * The same with a query and a filter, of which what is no literal, and so null, is not known.
     */
    static void planned(@Nullable String query, @Nullable String filter, CollectionSchema schema) {
        planned(() -> filtered(query == null ? "*" : query, filter, schema));
    }

    private static SearchQuery parse(String what, String text, CollectionSchema schema) {
        try {
            return QueryParser.parse(text, schema);
        } catch (InvalidQueryException e) {
            throw new ValueException("the " + what + " " + text + ": " + e.getMessage(), e);
        }
    }
}
