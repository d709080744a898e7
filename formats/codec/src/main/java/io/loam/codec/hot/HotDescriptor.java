package io.loam.codec.hot;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Quantization;

import javax.annotation.Nullable;

import java.util.List;

/**
 * What a hot artifact is. Numbers are unsigned.
 *
 * @param engine whose files these are; the files are its own affair
 * @param column of the row store
 * @param sourceVersion manifest version it was built from
 * @param lanceVersion row version it was built from
 * @param nextRowId rows from there on are not in it
 * @param points rows with a vector, which are in the graph
 * @param scanned rows that were read
 * @param coveredBytes size of the object with the rows that were read
 * @param coveredCrc32c of that object's bytes
 * @param chunkBytes every chunk of a file but its last has so many
 * @param createdAtMs metastore clock
 */
public record HotDescriptor(
        String engine,
        long collection,
        String column,
        String vector,
        Spec spec,
        long sourceVersion,
        long lanceVersion,
        long nextRowId,
        long points,
        long scanned,
        List<File> files,
        long coveredBytes,
        int coveredCrc32c,
        long chunkBytes,
        long createdAtMs) {
    public HotDescriptor {
        files = List.copyOf(files);
    }

    /** Whether it is a graph of this engine, for vectors of this kind. */
    public boolean fits(String engineName, CollectionSchema.Vector vectors) {
        return engine.equals(engineName)
                && spec.dim() == vectors.dim()
                && spec.distance() == vectors.distance();
    }

    /** How the graph was asked for. */
    public record Spec(
            int dim,
            Distance distance,
            Hnsw hnsw,
            @Nullable Quantization quantization,
            List<PayloadField> payloadFields,
            long indexingThreads) {
        public Spec {
            payloadFields = List.copyOf(payloadFields);
        }

        /** A graph of a schema's vector without payload, built by one thread. */
        public static Spec of(CollectionSchema.Vector vector) {
            return new Spec(
                    vector.dim(),
                    vector.distance(),
                    vector.hnsw(),
                    vector.quantization(),
                    List.of(),
                    1);
        }
    }

    /** A field whose values the graph has for filters. */
    public record PayloadField(String key, PayloadKind kind) {}

    /** What a payload field holds. */
    public enum PayloadKind {
        KEYWORD,
        INTEGER,
        BOOL,
        UUID
    }

    /**
     * A file of the graph.
     *
     * @param path relative
     * @param size in bytes
     * @param crc32c of all its bytes
     * @param chunks objects it is stored in
     */
    public record File(String path, long size, int crc32c, int chunks) {}
}
