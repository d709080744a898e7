package io.loam.codec.manifest;

/** A segment of a Lance vector index that readers may use. */
public record VectorIndexRef(
        String column,
        String uuid,
        long indexedRowIdsUpto,
        String indexName,
        String vectorName,
        Kind kind) {
    /** The number is the protobuf value. */
    public enum Kind {
        IVF_PQ(1),
        IVF_RQ(2),
        IVF_HNSW_SQ(3);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }
    }
}
