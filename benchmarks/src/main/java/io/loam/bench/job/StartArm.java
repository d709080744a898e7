package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.flink.connector.Changes;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.api.common.functions.MapFunction;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Starts a job without state on a collection that is there, and waits for its first commit, which
 * replaces a thousand documents. By then the key index has been read from the rows.
 */
final class StartArm implements Arm {
    static final String WAREHOUSE = "warehouse";
    static final String PARALLELISM = "parallelism";
    private static final long CHANGES = 1_000;
    private static final long LOOK_MS = 5;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Path directory = Path.of(args.get(DIRECTORY));
        WarehouseOptions options =
                WarehouseCopy.make(Path.of(args.get(WAREHOUSE)), directory.resolve("warehouse"));
        Map<String, Double> values = new TreeMap<>();
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            // Loads the native library, which is no part of a rebuild.
            handle.rows().open(handle.live().manifest(), handle.schema()).close();
            long version = version(handle);
            double documents = handle.live().manifest().liveDocCount();
            long started = System.nanoTime();
            RunningJob job =
                    new LoadJob(options, directory)
                            .parallelism(Integer.parseInt(args.get(PARALLELISM)))
                            .checkpoints(Duration.ofSeconds(1))
                            .start(CHANGES, new Replacements());
            job.await("its first commit", LOOK_MS, () -> version(handle) != version);
            values.put("first commit s", (System.nanoTime() - started) / 1e9);
            job.finish();
            values.put("rebuild ms", RebuildTimes.longestMs());
            values.put("documents", documents);
            values.put("heap MB", peakHeapBytes() / 1e6);
        }
        return values;
    }

    private static long version(CollectionHandle handle) throws Exception {
        return handle.metastore().head(handle.info().id()).pointer().version();
    }

    private static long peakHeapBytes() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(usage -> usage.getUsed())
                .sum();
    }

    /** Replaces the first keys. */
    static final class Replacements implements MapFunction<Long, CollectionElement> {
        private static final long serialVersionUID = 1L;

        @Override
        public CollectionElement map(Long number) {
            return Changes.of(new Documents(1, Documents.Shape.SHORT).upsert(number, -1));
        }
    }
}
