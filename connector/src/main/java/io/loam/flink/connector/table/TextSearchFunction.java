package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.flink.connector.table.SearchArguments.Kind;
import io.loam.flink.connector.table.SearchArguments.Parameter;
import io.loam.store.read.SearchResult;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.TypeInference;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.List;

/** {@code TEXT_SEARCH(collection, query, k [, filter])}: the k best by BM25, best first. */
@PublicEvolving
public final class TextSearchFunction extends SearchFunction implements SpecializedFunction {
    private static final long serialVersionUID = 1L;
    private static final int QUERY = 1;
    private static final int FILTER = 3;

    TextSearchFunction(SearchTarget target) {
        this(target, null, null);
    }

    private TextSearchFunction(
            SearchTarget target,
            @Nullable WarehouseCollection opener,
            @Nullable RowFromDocument rows) {
        super(target, opener, rows);
    }

    @Override
    public TypeInference getTypeInference(DataTypeFactory types) {
        return SearchArguments.inference(
                target,
                new Parameter("collection", Kind.NAME),
                new Parameter("query", Kind.TEXT),
                new Parameter("k", Kind.COUNT),
                new Parameter("filter", Kind.FILTER));
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        WarehouseCollection.Found found = target.find(SearchArguments.name(call));
        CollectionSchema schema = found.info().schema();
        SearchQueries.planned(
                SearchArguments.literal(call, QUERY),
                SearchArguments.literal(call, FILTER),
                schema);
        return new TextSearchFunction(target, found.opener(), target.hits(call).rows());
    }

    /** Searches without a filter. */
    public void eval(String collection, String query, Integer k) throws IOException {
        eval(collection, query, k, null);
    }

    /** Searches documents that match the filter. */
    public void eval(String collection, String query, Integer k, String filter) throws IOException {
        if (query == null) {
            return;
        }
        Hits hits =
                reader.use(
                        (open, handle) ->
                                new Hits(
                                        open.search(
                                                SearchQueries.filtered(
                                                        query, filter, handle.schema()),
                                                k,
                                                projection()),
                                        open.manifest().version()));
        hits.found().forEach(hit -> collect(hit.row(), hits.version(), hit.score()));
    }

    private record Hits(List<SearchResult> found, long version) {}
}
