package io.loam.lance;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.IndexNames;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.IndexRequest.Vectors;
import io.loam.store.spi.SearchEffort;

import org.lance.Dataset;
import org.lance.ipc.Query;
import org.lance.ipc.ScanOptions;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Rows that may be the nearest ones, by an index. Lance compares the query with every row that no
 * segment covers, and leaves deleted rows out; its distances are those of codes and serve to choose
 * only.
 */
final class IndexedNearest {
    /** The other way, one thread for a query, waits in that thread for others. */
    private static final int ALL_THREADS = -1;

    /** Unless more rows are asked for. */
    private static final long MOST_CANDIDATES = 10_000;

    /** With a filter, which most of them may not pass. */
    private static final long MOST_TO_FILTER = 50_000;

    /**
     * From here on rows are more alike than the codes of IVF_PQ can tell apart, so that the nearest
     * are found only among more candidates.
     */
    private static final double ROWS_OF_CODES = 10_000;

    /** So many rows for each one that an index would choose are compared one by one. */
    private static final int FEW_ALLOWED = 5;

    private final Dataset dataset;
    private final VersionFiles files;
    private final CollectionSchema schema;

    IndexedNearest(Dataset dataset, VersionFiles files, CollectionSchema schema) {
        this.dataset = dataset;
        this.files = files;
        this.schema = schema;
    }

    /** Ascending row ids; none if there is no index that helps. */
    long[] candidates(String vector, float[] query, int k, SearchEffort effort) throws IOException {
        return candidates(vector, query, wanted(vector, k, effort), effort.probes());
    }

    private long wanted(String vector, int k, SearchEffort effort) {
        double more =
                isCoded(vector) ? Math.max(1, Math.sqrt(dataset.countRows() / ROWS_OF_CODES)) : 1;
        double wanted = more * k * effort.candidates();
        return Math.max(k, (long) Math.min(MOST_CANDIDATES, wanted));
    }

    /** Whether the schema asks for IVF_PQ. */
    private boolean isCoded(String vector) {
        return schema.vectors().stream()
                .filter(one -> one.name().equals(vector))
                .map(CollectionSchema.Vector::index)
                .anyMatch(
                        index ->
                                index instanceof VectorIndex.Auto
                                        || index instanceof VectorIndex.IvfPq);
    }

    /**
     * The index knows no filter, so more candidates are taken from more partitions, as many as
     * leave what would be looked at without one. If less than half of that is left, what is allowed
     * lies where the query does not, and the index has nothing to say about it.
     *
     * @param allowed ascending row ids
     * @return those of the allowed ones to compare; none if all of them have to be
     */
    long[] candidates(String vector, float[] query, int k, long[] allowed, SearchEffort effort)
            throws IOException {
        long wanted = wanted(vector, k, effort);
        double factor = Math.max(1, dataset.countRows() / (double) Math.max(1, allowed.length));
        long more = (long) Math.ceil(wanted * factor);
        if (allowed.length <= wanted * FEW_ALLOWED || more > MOST_TO_FILTER) {
            return new long[0];
        }
        int probes = (int) Math.ceil(Math.min(Vectors.MOST_PARTITIONS, effort.probes() * factor));
        long[] kept =
                Arrays.stream(candidates(vector, query, more, probes))
                        .filter(id -> Arrays.binarySearch(allowed, id) >= 0)
                        .toArray();
        return kept.length < wanted / 2 ? new long[0] : kept;
    }

    private long[] candidates(String vector, float[] query, long wanted, int probes)
            throws IOException {
        int position = VectorColumns.densePosition(schema, vector).orElse(-1);
        if (position < 0
                || !files.isIndexed(IndexNames.ofVector(position))
                || !NativeThreads.suffice()) {
            return new long[0];
        }
        CollectionSchema.Vector type = schema.vectors().get(position);
        if (type.distance() == Distance.MANHATTAN
                || type.dim() != query.length
                || type.distance().isNowhere(query)) {
            return new long[0];
        }
        files.requireIndex(IndexNames.ofVector(position));
        Query.Builder nearest =
                new Query.Builder()
                        .setColumn(VectorColumns.dense(position))
                        .setKey(query)
                        .setK((int) Math.min(wanted, Math.max(1, dataset.countRows())))
                        .setDistanceType(LanceIndexBuilder.distance(type.distance()))
                        .setUseIndex(true)
                        .setQueryParallelism(ALL_THREADS);
        setPartitions(nearest, probes, files.segments(IndexNames.ofVector(position)));
        return read(nearest.build(), IndexNames.ofVector(position));
    }

    /**
     * Given a least number of partitions, Lance looks at more of a segment whose centroids are
     * about as far as the nearest one, and then waits until all segments are done with that. One of
     * which it looked at all partitions never says that it is done (issue 8349 of Lance, which 7.0
     * has), and the search of another, of which it did not, waits for ever. So the number is exact
     * where there are several segments.
     */
    static void setPartitions(Query.Builder nearest, int probes, int segments) {
        if (segments > 1) {
            nearest.setNprobes(Math.max(probes, Vectors.MOST_PARTITIONS));
        } else {
            nearest.setMinimumNprobes(probes);
        }
    }

    private long[] read(Query nearest, String index) throws IOException {
        ScanOptions options =
                new ScanOptions.Builder()
                        .columns(List.of("_distance"))
                        .nearest(nearest)
                        .withRowId(true)
                        .build();
        return IndexScan.rowIds(dataset, options, files, index);
    }
}
