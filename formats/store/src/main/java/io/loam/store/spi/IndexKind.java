package io.loam.store.spi;

import io.loam.codec.manifest.VectorIndexRef;

import javax.annotation.Nullable;

/** Indexes of rows. */
public enum IndexKind {
    /** Of keys. */
    BTREE(null),
    /** Of vectors: partitions, and in each a short code for every vector's product of residuals. */
    IVF_PQ(VectorIndexRef.Kind.IVF_PQ),
    /** Of vectors: partitions, and in each the bits of every vector after a random rotation. */
    IVF_RQ(VectorIndexRef.Kind.IVF_RQ),
    /** Of vectors: partitions, and in each a graph over vectors of bytes. */
    IVF_HNSW_SQ(VectorIndexRef.Kind.IVF_HNSW_SQ);

    @Nullable private final VectorIndexRef.Kind reference;

    IndexKind(@Nullable VectorIndexRef.Kind reference) {
        this.reference = reference;
    }

    /** How a manifest calls it; null for indexes of keys. */
    @Nullable
    public VectorIndexRef.Kind reference() {
        return reference;
    }
}
