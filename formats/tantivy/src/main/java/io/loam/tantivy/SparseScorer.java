package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseWeights;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.SplitHit;

import io.indextables.tantivy4java.query.Query;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Scores documents against a sparse query: the sum over shared indices, ascending, in f32, of query
 * weight times document weight. With the modifier Idf a query weight is first multiplied by
 *
 * <pre>
 * ln(1 + (N - df + 0.5) / (df + 0.5))
 * </pre>
 *
 * where N counts the live documents of the split and df those of them that have the index.
 */
final class SparseScorer {
    private final SparseVector query;

    private SparseScorer(SparseVector query) {
        this.query = query;
    }

    /** Best first, ties by document id. */
    static List<SplitHit> search(
            SearcherPool pool,
            NativeQueries queries,
            SearchQuery.Sparse sparse,
            Query candidates,
            Modifier modifier,
            int documents,
            int liveDocuments) {
        SparseVector weights = sorted(sparse);
        if (modifier == Modifier.IDF) {
            weights = idf(pool, queries, sparse.vector(), weights, documents, liveDocuments);
        }
        SparseScorer scorer = new SparseScorer(weights);
        List<SplitHit> found = pool.search(candidates, documents);
        List<SparseVector> stored =
                pool.stored(
                        found,
                        TantivyLayout.weights(sparse.vector()),
                        bytes -> decode(sparse.vector(), bytes));
        List<SplitHit> hits = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            hits.add(new SplitHit(found.get(i).doc(), scorer.score(stored.get(i))));
        }
        hits.sort(
                Comparator.comparingDouble((SplitHit hit) -> -hit.score())
                        .thenComparingInt(SplitHit::doc));
        return hits;
    }

    private static SparseVector decode(String vector, byte[] bytes) {
        if (bytes == null) {
            throw new CorruptException(
                    "a document has indices but no weights of sparse vector " + vector);
        }
        return SparseWeights.decode(bytes);
    }

    private static SparseVector sorted(SearchQuery.Sparse sparse) {
        record Pair(int index, float weight) {}
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < sparse.indices().length; i++) {
            pairs.add(new Pair(sparse.indices()[i], sparse.weights()[i]));
        }
        pairs.sort((a, b) -> Integer.compareUnsigned(a.index(), b.index()));
        int[] indices = new int[pairs.size()];
        float[] weights = new float[pairs.size()];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = pairs.get(i).index();
            weights[i] = pairs.get(i).weight();
        }
        return new SparseVector(indices, weights);
    }

    private static SparseVector idf(
            SearcherPool pool,
            NativeQueries queries,
            String vector,
            SparseVector query,
            int documents,
            int liveDocuments) {
        float[] weights = query.values().clone();
        for (int i = 0; i < weights.length; i++) {
            Query term =
                    queries.term(
                            TantivyLayout.indices(vector),
                            Integer.toUnsignedLong(query.indices()[i]));
            int df = pool.search(term, documents).size();
            weights[i] *= (float) Math.log(1 + (liveDocuments - df + 0.5) / (df + 0.5));
        }
        return new SparseVector(query.indices(), weights);
    }

    private float score(SparseVector document) {
        float sum = 0;
        int d = 0;
        for (int q = 0; q < query.indices().length; q++) {
            int index = query.indices()[q];
            while (d < document.indices().length
                    && Integer.compareUnsigned(document.indices()[d], index) < 0) {
                d++;
            }
            if (d < document.indices().length && document.indices()[d] == index) {
                sum += query.values()[q] * document.values()[d];
            }
        }
        return sum;
    }
}
