package io.loam.codec.schema;

import javax.annotation.Nullable;

import java.util.List;
import java.util.Map;

/**
 * The schema of a collection. The position of a vector is the number of its Lance column; positions
 * never change, because evolution only appends.
 */
public record CollectionSchema(
        long version,
        List<Field> fields,
        List<Vector> vectors,
        List<SparseField> sparseVectors,
        Dynamic dynamic,
        int maxFields,
        Map<String, String> annotations) {
    public CollectionSchema {
        fields = List.copyOf(fields);
        vectors = List.copyOf(vectors);
        sparseVectors = List.copyOf(sparseVectors);
        annotations = Map.copyOf(annotations);
    }

    public static final int DEFAULT_MAX_FIELDS = 1000;

    /** What happens to paths no field covers. */
    public enum Dynamic {
        STRICT,
        IGNORE,
        MAP
    }

    public record Field(
            String name,
            String sourcePath,
            FieldKind kind,
            boolean indexed,
            boolean fast,
            boolean ignoreMalformed) {}

    /** What a field makes of values. */
    public sealed interface FieldKind {
        record Text(String analyzer, boolean positions) implements FieldKind {}

        record Keyword() implements FieldKind {}

        record I64() implements FieldKind {}

        record F64() implements FieldKind {}

        record Bool() implements FieldKind {}

        record Date() implements FieldKind {}

        record Uuid() implements FieldKind {}

        record Json() implements FieldKind {}
    }

    public record Vector(
            String name,
            int dim,
            Distance distance,
            Element element,
            VectorIndex index,
            Hnsw hnsw,
            @Nullable Quantization quantization) {}

    public enum Distance {
        COSINE,
        DOT,
        EUCLID,
        MANHATTAN;

        /** Whether no vector is nearer to a query than another: it has no direction. */
        public boolean isNowhere(float[] query) {
            if (this != COSINE) {
                return false;
            }
            for (float x : query) {
                if (x != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    public enum Element {
        F32
    }

    /** The index of a vector column. */
    public sealed interface VectorIndex {
        record Auto() implements VectorIndex {}

        record None() implements VectorIndex {}

        record IvfPq(@Nullable Long numPartitions, @Nullable Long numSubVectors, int numBits)
                implements VectorIndex {}

        record IvfRq(@Nullable Long numPartitions, int numBits) implements VectorIndex {}

        record IvfHnswSq(@Nullable Long numPartitions) implements VectorIndex {}
    }

    public record Hnsw(
            long m,
            long efConstruct,
            long fullScanThresholdKb,
            @Nullable Long payloadM,
            boolean onDisk) {
        public static final Hnsw DEFAULT = new Hnsw(16, 100, 10_000, null, false);
    }

    /** How a hot graph's vectors are compressed. */
    public sealed interface Quantization {
        record Scalar(@Nullable Long quantilePpm, boolean alwaysRam) implements Quantization {}

        record Product(long compressionRatio, boolean alwaysRam) implements Quantization {}

        record Binary(boolean alwaysRam) implements Quantization {}
    }

    public record SparseField(String name, Modifier modifier) {}

    public enum Modifier {
        NONE,
        IDF
    }
}
