package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

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

    static final String SEED = "seed";

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
        try (Warehouse warehouse = create(options);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            RunningJob job =
                    new LoadJob(options, directory)
                            .parallelism(Integer.parseInt(args.get(PARALLELISM)))
                            .start(
                                    warmUp + documents,
                                    Inserts.unlimited(
                                            Long.parseLong(args.get(SEED)), Documents.Shape.LONG));
            job.await("the warm-up was over", LOOK_MS, () -> Inserts.EMITTED.get() >= warmUp);
            long first = Inserts.EMITTED.get();
            long started = System.nanoTime();
            job.finish();
            values.put(
                    "documents/s",
                    (warmUp + documents - first) * 1e9 / (System.nanoTime() - started));
            values.put("documents", (double) handle.live().manifest().liveDocCount());
        }
        return values;
    }

    /** Makes a collection and fills it with long documents, in one commit. */
    public static void insert(WarehouseOptions options, Path directory, long seed, long documents)
            throws Exception {
        create(options).close();
        new LoadJob(options, directory)
                // The one at the end of the input is the only one.
                .checkpoints(Duration.ofHours(24))
                .start(documents, Inserts.unlimited(seed, Documents.Shape.LONG))
                .finish();
    }

    static Warehouse create(WarehouseOptions options) throws Exception {
        Warehouse warehouse = Warehouse.openOrCreate(options);
        warehouse.metastore().createCollection("default", "docs", Documents.schema(), 1, null);
        return warehouse;
    }
}
