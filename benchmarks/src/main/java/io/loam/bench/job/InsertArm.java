package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Fills a collection as fast as it goes; measures what is left once the code is compiled. */
public final class InsertArm implements Arm {
    /** Argument: where; by default in the run's own directory. */
    static final String WAREHOUSE = "warehouse";

    static final String PARALLELISM = "parallelism";

    /** Argument: documents that are measured. */
    static final String DOCUMENTS = "documents";

    /** Argument: documents before. */
    static final String WARM_UP = "warm-up";

    /** Argument: seed of generated documents. */
    static final String SEED = "seed";

    /** Argument: input file of documents that are not generated. */
    static final String INPUT = "input";

    private static final long LOOK_MS = 10;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Path directory = Path.of(args.get(DIRECTORY));
        WarehouseOptions options =
                WarehouseOptions.local(
                        Path.of(
                                args.getOrDefault(
                                        WAREHOUSE, directory.resolve("warehouse").toString())));
        long warmUp = Long.parseLong(args.get(WARM_UP));
        long documents = Long.parseLong(args.get(DOCUMENTS));
        Map<String, Double> values = new TreeMap<>();
        DocumentSource source = source(args);
        try (Warehouse warehouse = create(options, source);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            RunningJob job =
                    new LoadJob(options, directory)
                            .parallelism(Integer.parseInt(args.get(PARALLELISM)))
                            .start(warmUp + documents, Inserts.unlimited(source));
            job.await("the warm-up was over", LOOK_MS, () -> Inserts.EMITTED.get() >= warmUp);
            long first = Inserts.EMITTED.get();
            long started = System.nanoTime();
            job.finish();
            values.put(
                    "documents/s",
                    (warmUp + documents - first) * 1e9 / (System.nanoTime() - started));
            long live = handle.live().manifest().liveDocCount();
            if (live != warmUp + documents) {
                throw new IOException(
                        "of "
                                + (warmUp + documents)
                                + " documents the collection has "
                                + live
                                + ", the others were refused");
            }
            values.put("documents", (double) live);
        }
        return values;
    }

    /** Makes a collection and fills it with long documents, in one commit. */
    public static void insert(WarehouseOptions options, Path directory, long seed, long documents)
            throws Exception {
        DocumentSource source = new Documents(seed, Documents.Shape.LONG);
        create(options, source).close();
        new LoadJob(options, directory)
                // The one at the end of the input is the only one.
                .checkpoints(Duration.ofHours(24))
                .start(documents, Inserts.unlimited(source))
                .finish();
    }

    /** What an arm is told to insert: documents of a file if it has one, or long generated ones. */
    static DocumentSource source(Map<String, String> args) {
        return args.containsKey(INPUT)
                ? new RealDocuments(Path.of(args.get(INPUT)))
                : new Documents(Long.parseLong(args.get(SEED)), Documents.Shape.LONG);
    }

    static Warehouse create(WarehouseOptions options, DocumentSource source) throws Exception {
        Warehouse warehouse = Warehouse.openOrCreate(options);
        warehouse.metastore().createCollection("default", "docs", source.indexedBy(), 1, null);
        return warehouse;
    }
}
