package io.loam.store.query;

import javax.annotation.Nullable;

import java.util.List;

/**
 * A query over the fields of a schema. Text leaves are analysed with their field's analyzer;
 * everything else is matched exactly. A field of kind Json takes a {@code path} below it.
 */
public sealed interface SearchQuery {
    /** Every document. */
    record All() implements SearchQuery {}

    /** Ranked: documents that hold any (or all) of the text's tokens in a Text field. */
    record Match(String field, @Nullable String path, String text, boolean allTokens)
            implements SearchQuery {}

    /** Ranked: documents that hold the text's tokens one after the other; needs positions. */
    record Phrase(String field, @Nullable String path, String text) implements SearchQuery {}

    /** The field has this value; the value is coerced to the field's kind. */
    record Term(String field, @Nullable String path, Object value) implements SearchQuery {}

    /** Values from {@code low} to {@code high}; null is open. I64, F64, Date or a Json path. */
    record Range(
            String field,
            @Nullable String path,
            @Nullable Object low,
            boolean lowInclusive,
            @Nullable Object high,
            boolean highInclusive)
            implements SearchQuery {}

    /** The field has a value. */
    record Exists(String field, @Nullable String path) implements SearchQuery {}

    /** A Json field holds null at the path. */
    record IsNull(String field, String path) implements SearchQuery {}

    /** The number of values at a Json path lies between the bounds, both inclusive. */
    record ValuesCount(String field, String path, long low, long high) implements SearchQuery {}

    /**
     * All of {@code must} and {@code filter}, none of {@code mustNot}, and one of {@code should}
     * when there is no {@code must} and no {@code filter}. Filters do not score.
     */
    record Bool(
            List<SearchQuery> must,
            List<SearchQuery> should,
            List<SearchQuery> filter,
            List<SearchQuery> mustNot)
            implements SearchQuery {
        public Bool {
            must = List.copyOf(must);
            should = List.copyOf(should);
            filter = List.copyOf(filter);
            mustNot = List.copyOf(mustNot);
        }
    }

    /** Documents whose sparse vector shares an index with the query; scored as the schema says. */
    record Sparse(String vector, int[] indices, float[] weights) implements SearchQuery {}
}
