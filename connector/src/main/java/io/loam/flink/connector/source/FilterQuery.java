package io.loam.flink.connector.source;

import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.store.query.SearchQuery;

import java.util.List;

/**
 * A filter as a query of one split of the index. A field may be missing there although the row has
 * a value: the split is older than the field, or the value was no value of the field's kind and the
 * schema says to ignore that. So unless neither can be, rows without the field match, too.
 */
final class FilterQuery {
    private final CollectionSchema schema;
    private final SplitRef split;

    FilterQuery(CollectionSchema schema, SplitRef split) {
        this.schema = schema;
        this.split = split;
    }

    SearchQuery of(RowFilter filter) {
        if (filter instanceof RowFilter.AllOf all) {
            return bool(all.filters().stream().map(this::of).toList(), List.of());
        } else if (filter instanceof RowFilter.AnyOf any) {
            return bool(List.of(), any.filters().stream().map(this::of).toList());
        } else if (filter instanceof RowFilter.Equal equal) {
            return orMissing(
                    equal.field(), new SearchQuery.Term(equal.field(), null, equal.value()));
        }
        RowFilter.Between between = (RowFilter.Between) filter;
        return orMissing(
                between.field(),
                new SearchQuery.Range(
                        between.field(), null, between.low(), true, between.high(), true));
    }

    private SearchQuery orMissing(String name, SearchQuery query) {
        Field field =
                schema.fields().stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow();
        boolean complete =
                Long.compareUnsigned(split.schemaVersion(), schema.version()) >= 0
                        && !field.ignoreMalformed();
        return complete
                ? query
                : bool(
                        List.of(),
                        List.of(
                                query,
                                new SearchQuery.Bool(
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(new SearchQuery.Exists(name, null)))));
    }

    private static SearchQuery bool(List<SearchQuery> filter, List<SearchQuery> should) {
        return new SearchQuery.Bool(List.of(), should, filter, List.of());
    }
}
