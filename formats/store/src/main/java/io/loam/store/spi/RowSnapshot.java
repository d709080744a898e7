package io.loam.store.spi;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;

/** The rows of one version. May be used from any thread; closing it frees native memory. */
public interface RowSnapshot extends AutoCloseable {
    long countRows() throws IOException;

    /** The rows of these ids in the order of the ids; absent and deleted ones are left out. */
    List<StoredRow> take(long[] rowIds, Projection projection) throws IOException;

    /**
     * The rows of these ids in the order of the ids, all of them.
     *
     * @param rowIds of live rows, as splits and keys of the same version name them
     * @throws CorruptException if one is absent
     */
    default List<StoredRow> takeAll(long[] rowIds, Projection projection) throws IOException {
        List<StoredRow> taken = rowIds.length == 0 ? List.of() : take(rowIds, projection);
        if (taken.size() != rowIds.length) {
            throw new CorruptException(
                    "live documents name rows "
                            + LongStream.of(rowIds).mapToObj(Long::toUnsignedString).toList()
                            + ", of which only "
                            + taken.size()
                            + " exist");
        }
        return taken;
    }

    /**
     * Ids of the live rows of a key, by the index of keys.
     *
     * @return null if there is no such index
     */
    @Nullable
    default long[] rowsOfKey(PrimaryKey key) throws IOException {
        return null;
    }

    /**
     * Scans live rows in storage order. {@code part} of {@code parts} reads a share of the data
     * files; 0 of 1 reads all.
     */
    RowCursor scan(Projection projection, int part, int parts) throws IOException;

    /**
     * Scans the live rows of one data file in storage order.
     *
     * @param file of {@link RowStore#files}; of another number there are no rows
     */
    RowCursor scanFile(Projection projection, int file) throws IOException;

    /**
     * The k nearest live rows, nearest first, ties by canonical key; exact.
     *
     * @param vector name of a dense vector of the schema
     * @param allowedRowIds if given, sorted ascending; only these are searched
     */
    List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            Projection projection)
            throws IOException;

    /**
     * The k nearest live rows, nearest first, ties by canonical key; by an index where there is one
     * and the effort allows it. Distances are exact then, too, but a row may be missing.
     */
    default List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            SearchEffort effort,
            Projection projection)
            throws IOException {
        return nearest(vector, query, k, allowedRowIds, projection);
    }

    @Override
    void close() throws IOException;
}
