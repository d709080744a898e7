package io.loam.store.spi;

import io.loam.codec.schema.CollectionSchema.Distance;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.List;
import java.util.UUID;

/**
 * A segment of an index to build.
 *
 * @param name shared by the segments of one index
 * @param column of the row store
 * @param vector how vectors are indexed; null for other kinds
 * @param fragments that it is to cover, not empty
 * @param trained segment of the same name whose partitions and codes are used again, which costs no
 *     training; null to train
 */
public record IndexRequest(
        UUID id,
        String name,
        String column,
        IndexKind kind,
        @Nullable Vectors vector,
        List<Long> fragments,
        @Nullable UUID trained)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public IndexRequest {
        fragments = List.copyOf(fragments);
        if (fragments.isEmpty()) {
            throw new IllegalArgumentException("index " + name + " would cover nothing");
        }
    }

    /**
     * How vectors are indexed.
     *
     * @param distance not Manhattan's
     * @param partitions null to choose by the number of rows
     * @param subVectors that a code is made of, by product quantization; null to choose by the
     *     dimension
     * @param bits of a code, for each sub-vector or for each dimension; 0 if the kind has none
     */
    public record Vectors(
            int dimension,
            Distance distance,
            @Nullable Integer partitions,
            @Nullable Integer subVectors,
            int bits)
            implements Serializable {
        /** Fewer rows with a vector are not worth training. */
        public static final int LEAST_ROWS = 256;

        private static final long serialVersionUID = 1L;

        /** Of an index whose schema does not say how many. */
        public static final int MOST_PARTITIONS = 4096;

        private static final int LARGEST_SUB_VECTOR = 16;

        public Vectors {
            if (distance == Distance.MANHATTAN) {
                throw new IllegalArgumentException("Manhattan distances cannot be indexed");
            }
        }

        /** How many partitions so many rows with a vector get. */
        public int partitionsOf(long rows) {
            if (partitions != null) {
                return partitions;
            }
            return (int) Math.max(1, Math.min(MOST_PARTITIONS, Math.round(Math.sqrt(rows))));
        }

        /** How many parts a vector is cut into, each of 16, 8, 4, 2 or 1 dimensions. */
        public int subVectorCount() {
            if (subVectors != null) {
                return subVectors;
            }
            int size = LARGEST_SUB_VECTOR;
            while (dimension % size != 0) {
                size /= 2;
            }
            return dimension / size;
        }

        /** Whether so many rows with a vector are enough to train by. */
        public boolean canTrain(long rows) {
            return rows >= Math.max(LEAST_ROWS, partitionsOf(rows));
        }
    }
}
