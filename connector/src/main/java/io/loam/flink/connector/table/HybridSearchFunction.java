package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.flink.connector.table.RankFusion.Fused;
import io.loam.flink.connector.table.SearchArguments.Kind;
import io.loam.flink.connector.table.SearchArguments.Parameter;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.TypeInference;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code HYBRID_SEARCH(collection, query, vector, question, k [, filter] [, options])}: the k best
 * by both the rank of their text and the rank of their vector, see {@link RankFusion}.
 */
@PublicEvolving
public final class HybridSearchFunction extends SearchFunction implements SpecializedFunction {
    private static final long serialVersionUID = 1L;
    private static final int QUERY = 1;
    private static final int VECTOR = 2;
    private static final SearchArguments ARGUMENTS =
            new SearchArguments(
                    List.of(
                            new Parameter("collection", Kind.NAME),
                            new Parameter("query", Kind.TEXT),
                            new Parameter("vector", Kind.NAME),
                            new Parameter("question", Kind.VECTOR),
                            new Parameter("k", Kind.COUNT)));

    @Nullable private final Questions questions;

    HybridSearchFunction(SearchTarget target) {
        super(target);
        this.questions = null;
    }

    private HybridSearchFunction(
            SearchTarget target,
            SearchTarget.Searched searched,
            @Nullable String filter,
            RowFromDocument rows,
            Questions questions) {
        super(target, searched, filter, rows);
        this.questions = questions;
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
        CollectionSchema schema = searched.schema();
        String name = SearchArguments.literal(call, VECTOR);
        Vector vector =
                schema.vectors().stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> noVector(name, schema));
        SearchQueries.planned(SearchArguments.literal(call, QUERY), options.filter(), schema);
        return new HybridSearchFunction(
                target,
                searched,
                options.filter(),
                searched.hits(call).rows(),
                Questions.of(
                        name, vector.dim(), DataTypes.ARRAY(DataTypes.DOUBLE()).getLogicalType()));
    }

    private static ValidationException noVector(String name, CollectionSchema schema) {
        return new ValidationException(
                "the collection has no dense vector \""
                        + name
                        + "\"; it has "
                        + schema.vectors().stream().map(Vector::name).toList());
    }

    /** Searches all documents of the newest version. */
    public void eval(String collection, String query, String vector, Double[] question, Integer k)
            throws IOException {
        search(query, vector, question, k);
    }

    /** Searches documents that match the filter, which is known from planning. */
    public void eval(
            String collection,
            String query,
            String vector,
            Double[] question,
            Integer k,
            String filter)
            throws IOException {
        search(query, vector, question, k);
    }

    /** Searches as the options say, which are known from planning. */
    public void eval(
            String collection,
            String query,
            String vector,
            Double[] question,
            Integer k,
            Map<String, String> options)
            throws IOException {
        search(query, vector, question, k);
    }

    /** Searches as filter and options say, which are known from planning. */
    public void eval(
            String collection,
            String query,
            String vector,
            Double[] question,
            Integer k,
            String filter,
            Map<String, String> options)
            throws IOException {
        search(query, vector, question, k);
    }

    /** A part of the question that is NULL is left out. */
    private void search(String query, String vector, Double[] question, int k) throws IOException {
        float[] components =
                question == null ? null : questions.components(new GenericArrayData(question));
        Hits hits =
                reader.use(
                        (open, handle) -> {
                            int depth = Math.max(k, RankFusion.DEPTH);
                            CollectionSchema schema = handle.schema();
                            List<List<StoredRow>> rankings = new ArrayList<>();
                            if (query != null) {
                                rankings.add(byText(open, query, filter(), schema, depth));
                            }
                            if (components != null) {
                                rankings.add(
                                        byVector(
                                                open, vector, components, filter(), schema, depth));
                            }
                            return new Hits(
                                    read(open, RankFusion.fuse(rankings, k)),
                                    open.manifest().version());
                        });
        hits.found().forEach(hit -> collect(hit.row(), hits.version(), hit.score()));
    }

    private record Hits(List<Fused> found, long version) {}

    private static List<StoredRow> byText(
            CollectionReader open,
            String query,
            @Nullable String filter,
            CollectionSchema schema,
            int depth)
            throws IOException {
        return open
                .search(SearchQueries.filtered(query, filter, schema), depth, Projection.KEYS)
                .stream()
                .map(SearchResult::row)
                .toList();
    }

    private static List<StoredRow> byVector(
            CollectionReader open,
            String vector,
            float[] question,
            @Nullable String filter,
            CollectionSchema schema,
            int depth)
            throws IOException {
        return open
                .nearest(
                        vector,
                        question,
                        depth,
                        SearchQueries.filter(filter, schema),
                        Projection.KEYS)
                .stream()
                .map(ScoredRow::row)
                .toList();
    }

    private List<Fused> read(CollectionReader open, List<Fused> fused) throws IOException {
        if (fused.isEmpty()) {
            return List.of();
        }
        long[] ids = fused.stream().mapToLong(one -> one.row().rowId()).toArray();
        List<StoredRow> rows = open.rows().takeAll(ids, projection());
        List<Fused> read = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            read.add(new Fused(rows.get(i), fused.get(i).score()));
        }
        return read;
    }
}
