package io.loam.hnsw;

import io.loam.codec.schema.CollectionSchema.Distance;

import org.apache.lucene.codecs.hnsw.FlatVectorsScorer;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.util.VectorUtil;
import org.apache.lucene.util.hnsw.RandomAccessVectorValues;
import org.apache.lucene.util.hnsw.RandomVectorScorer;
import org.apache.lucene.util.hnsw.RandomVectorScorerSupplier;

import java.io.IOException;

/**
 * Scores are negated distances. Lucene's own scores are squeezed between 0 and 1 and lose the order
 * of very small and very large distances, and there is none for Manhattan's.
 */
final class DistanceScorer implements FlatVectorsScorer {

    /** The label under which a distance stands in the files. */
    static VectorSimilarityFunction label(Distance distance) {
        return switch (distance) {
            case COSINE -> VectorSimilarityFunction.COSINE;
            case DOT -> VectorSimilarityFunction.MAXIMUM_INNER_PRODUCT;
            case EUCLID -> VectorSimilarityFunction.EUCLIDEAN;
            // Lucene has none; the label that is left over.
            case MANHATTAN -> VectorSimilarityFunction.DOT_PRODUCT;
        };
    }

    private static float score(VectorSimilarityFunction label, float[] a, float[] b) {
        return switch (label) {
            // Vectors have length 1 in graphs for cosine.
            case COSINE, MAXIMUM_INNER_PRODUCT -> VectorUtil.dotProduct(a, b);
            case EUCLIDEAN -> -VectorUtil.squareDistance(a, b);
            case DOT_PRODUCT -> -manhattan(a, b);
        };
    }

    private static float manhattan(float[] a, float[] b) {
        float sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += Math.abs(a[i] - b[i]);
        }
        return sum;
    }

    @Override
    public RandomVectorScorerSupplier getRandomVectorScorerSupplier(
            VectorSimilarityFunction label, RandomAccessVectorValues values) throws IOException {
        return new Supplier(label, floats(values));
    }

    /** Of two vectors of the graph. A reader of values has one array for all it reads. */
    private static final class Supplier implements RandomVectorScorerSupplier {
        private final VectorSimilarityFunction label;
        private final RandomAccessVectorValues.Floats values;
        private final RandomAccessVectorValues.Floats firsts;
        private final RandomAccessVectorValues.Floats seconds;

        Supplier(VectorSimilarityFunction label, RandomAccessVectorValues.Floats values)
                throws IOException {
            this.label = label;
            this.values = values;
            this.firsts = values.copy();
            this.seconds = values.copy();
        }

        @Override
        public RandomVectorScorer scorer(int first) {
            return new RandomVectorScorer.AbstractRandomVectorScorer(values) {
                @Override
                public float score(int second) throws IOException {
                    return DistanceScorer.score(
                            label, firsts.vectorValue(first), seconds.vectorValue(second));
                }
            };
        }

        @Override
        public RandomVectorScorerSupplier copy() throws IOException {
            return new Supplier(label, values.copy());
        }
    }

    @Override
    public RandomVectorScorer getRandomVectorScorer(
            VectorSimilarityFunction label, RandomAccessVectorValues values, float[] query) {
        RandomAccessVectorValues.Floats floats = floats(values);
        return new RandomVectorScorer.AbstractRandomVectorScorer(values) {
            @Override
            public float score(int point) throws IOException {
                return DistanceScorer.score(label, query, floats.vectorValue(point));
            }
        };
    }

    @Override
    public RandomVectorScorer getRandomVectorScorer(
            VectorSimilarityFunction label, RandomAccessVectorValues values, byte[] query) {
        throw new IllegalArgumentException("vectors are of floats");
    }

    private static RandomAccessVectorValues.Floats floats(RandomAccessVectorValues values) {
        if (values instanceof RandomAccessVectorValues.Floats floats) {
            return floats;
        }
        throw new IllegalArgumentException("vectors are of floats, not " + values.getClass());
    }
}
