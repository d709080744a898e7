package io.loam.flink.connector.table;

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
import java.util.Map;

/** {@code TEXT_SEARCH(collection, query, k [, filter] [, options])}: the k best by BM25. */
@PublicEvolving
public final class TextSearchFunction extends SearchFunction implements SpecializedFunction {
    private static final long serialVersionUID = 1L;
    private static final int QUERY = 1;
    private static final SearchArguments ARGUMENTS =
            new SearchArguments(
                    List.of(
                            new Parameter("collection", Kind.NAME),
                            new Parameter("query", Kind.TEXT),
                            new Parameter("k", Kind.COUNT)));

    TextSearchFunction(SearchTarget target) {
        super(target);
    }

    private TextSearchFunction(
            SearchTarget target,
            SearchTarget.Searched searched,
            @Nullable String filter,
            RowFromDocument rows) {
        super(target, searched, filter, rows);
    }

    @Override
    public TypeInference getTypeInference(DataTypeFactory types) {
        return ARGUMENTS.inference(target);
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        SearchOptions options = ARGUMENTS.options(call);
        SearchTarget.Searched searched = target.searched(call, options);
        SearchQueries.planned(
                SearchArguments.literal(call, QUERY), options.filter(), searched.schema());
        return new TextSearchFunction(
                target, searched, options.filter(), searched.hits(call).rows());
    }

    /** Searches all documents of the newest version. */
    public void eval(String collection, String query, Integer k) throws IOException {
        search(query, k);
    }

    /** Searches documents that match the filter, which is known from planning. */
    public void eval(String collection, String query, Integer k, String filter) throws IOException {
        search(query, k);
    }

    /** Searches as the options say, which are known from planning. */
    public void eval(String collection, String query, Integer k, Map<String, String> options)
            throws IOException {
        search(query, k);
    }

    /** Searches as filter and options say, which are known from planning. */
    public void eval(
            String collection, String query, Integer k, String filter, Map<String, String> options)
            throws IOException {
        search(query, k);
    }

    private void search(String query, int k) throws IOException {
        if (query == null) {
            return;
        }
        Hits hits =
                reader.use(
                        (open, handle) ->
                                new Hits(
                                        open.search(
                                                SearchQueries.filtered(
                                                        query, filter(), handle.schema()),
                                                k,
                                                projection()),
                                        open.manifest().version()));
        hits.found().forEach(hit -> collect(hit.row(), hits.version(), hit.score()));
    }

    private record Hits(List<SearchResult> found, long version) {}
}
