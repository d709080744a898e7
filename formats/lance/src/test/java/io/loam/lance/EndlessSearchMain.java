package io.loam.lance;

import io.loam.codec.schema.CollectionSchema;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.lance.Dataset;
import org.lance.ReadOptions;
import org.lance.index.DistanceType;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.Query;
import org.lance.ipc.ScanOptions;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Searches by an index for vectors of rows, and says of each search when it is done and whether it
 * found what an exact one finds. Arguments: folder of a dataset, its version, and either {@code
 * loam}, partitions and candidates, or {@code lance} and the threads of a search, 0 for as many as
 * Lance likes.
 */
final class EndlessSearchMain {
    static final int SEARCHES = 60;
    private static final int K = 10;
    private static final int MOST = 200;
    private static final int PARTITIONS = 32;
    private static final CollectionSchema SCHEMA = IndexOracleITCase.schema(IndexOracleITCase.L2);

    private EndlessSearchMain() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        long version = Long.parseLong(arguments[1]);
        try (LanceDataset dataset = new LanceDataset(folder, new Random(1));
                RowSnapshot rows = dataset.rows.open(version, SCHEMA)) {
            List<float[]> queries = vectors(rows);
            for (float[] query : queries) {
                String outcome;
                if (arguments[2].equals("loam")) {
                    SearchEffort effort =
                            new SearchEffort(
                                    false,
                                    Integer.parseInt(arguments[3]),
                                    Integer.parseInt(arguments[4]));
                    outcome =
                            search(rows, query, effort)
                                            .equals(search(rows, query, SearchEffort.EXACT))
                                    ? "exact"
                                    : "other";
                } else {
                    outcome =
                            Integer.toString(
                                    count(folder, version, query, Integer.parseInt(arguments[3])));
                }
                System.out.println("::end " + outcome);
                System.out.flush();
            }
        }
        System.exit(0); // native libraries keep threads
    }

    private static List<float[]> vectors(RowSnapshot rows) throws Exception {
        List<float[]> vectors = new ArrayList<>();
        try (RowCursor cursor = rows.scan(new Projection(false, false, true), 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (row.vectors().containsKey("v") && vectors.size() < SEARCHES) {
                    vectors.add(row.vectors().get("v").clone());
                }
            }
        }
        return vectors;
    }

    private static List<Long> search(RowSnapshot rows, float[] query, SearchEffort effort)
            throws Exception {
        List<ScoredRow> found = rows.nearest("v", query, K, null, effort, Projection.KEYS);
        return found.stream().map(one -> one.row().rowId()).toList();
    }

    /** What Lance finds, asked as it is by default, with nothing in memory. */
    private static int count(Path folder, long version, float[] query, int threads)
            throws Exception {
        Query nearest =
                new Query.Builder()
                        .setColumn("_vector_0")
                        .setKey(query)
                        .setK(MOST)
                        .setMinimumNprobes(PARTITIONS)
                        .setDistanceType(DistanceType.L2)
                        .setQueryParallelism(threads)
                        .build();
        ScanOptions options =
                new ScanOptions.Builder()
                        .columns(List.of("_distance"))
                        .nearest(nearest)
                        .withRowId(true)
                        .build();
        int found = 0;
        try (BufferAllocator allocator = new RootAllocator();
                Dataset dataset =
                        Dataset.open()
                                .allocator(allocator)
                                .uri(
                                        folder.resolve("warehouse")
                                                .resolve(LanceDataset.ROOT)
                                                .toString())
                                .readOptions(new ReadOptions.Builder().setVersion(version).build())
                                .build();
                LanceScanner scanner = dataset.newScan(options);
                ArrowReader reader = scanner.scanBatches()) {
            while (reader.loadNextBatch()) {
                found += reader.getVectorSchemaRoot().getRowCount();
            }
        }
        return found;
    }
}
