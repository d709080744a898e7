package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Grows a collection with merges and compaction beside, and measures what a replaced document costs
 * at its first size and at its last. The collection stays where it was made, for other figures.
 */
final class GrowthArm implements Arm {
    /** Argument: where to make the collection. */
    static final String WAREHOUSE = "warehouse";

    /** Argument: keys at first. */
    static final String SMALL = "small";

    /** Argument: keys in the end. */
    static final String LARGE = "large";

    /** Argument: replaced documents to measure by, at either size; as many before warm up. */
    static final String WINDOW = "window";

    static final String SEED = "seed";

    private static final long LOOK_MS = 20;

    private final Map<String, Double> values = new TreeMap<>();
    private ResidentMemory memory;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Path directory = Path.of(args.get(DIRECTORY));
        WarehouseOptions options = WarehouseOptions.local(Path.of(args.get(WAREHOUSE)));
        long window = Long.parseLong(args.get(WINDOW));
        Growth growth =
                new Growth(
                        Long.parseLong(args.get(SEED)),
                        Long.parseLong(args.get(SMALL)),
                        Long.parseLong(args.get(LARGE)),
                        2 * window);
        try (Warehouse warehouse = Warehouse.openOrCreate(options)) {
            warehouse.metastore().createCollection("default", "docs", Documents.schema(), 1, null);
            try (CollectionHandle handle = warehouse.open("default", "docs");
                    ResidentMemory watched = new ResidentMemory()) {
                memory = watched;
                RunningJob maintenance = LoadJob.startMaintenance(options, directory);
                long began = System.nanoTime();
                RunningJob load =
                        new LoadJob(options, directory)
                                .start(growth.largeDone(), growth)
                                .beside(maintenance);
                measure(load, "small", growth.smallDone() - window, window);
                measure(load, "large", growth.largeDone() - window, window);
                load.finish();
                values.put("seconds", (System.nanoTime() - began) / 1e9);
                maintenance.cancel();
                describe(handle.live().manifest(), handle);
            }
        }
        return values;
    }

    /**
     * From the first of so many numbers being asked for to the last. The source is held back by
     * what comes behind it, so that what is under way is as much at the end as at the beginning.
     */
    private void measure(RunningJob load, String size, long first, long count) throws Exception {
        Mark before = await(load, first);
        memory.reset();
        Mark after = await(load, first + count - 1);
        double documents = after.emitted() - before.emitted();
        values.put(size + " us", (after.nanos() - before.nanos()) / 1e3 / documents);
        values.put(size + " cpu us", (after.cpuNanos() - before.cpuNanos()) / 1e3 / documents);
        values.put(size + " heap MB", memory.heapBytes() / 1e6);
        values.put(size + " resident MB", memory.bytes() / 1e6);
    }

    private record Mark(long emitted, long nanos, long cpuNanos) {}

    /** Waits until so much was asked of the source. */
    private static Mark await(RunningJob load, long number) throws Exception {
        load.await(
                "document " + number + " was asked for",
                LOOK_MS,
                () -> Growth.EMITTED.get() > number);
        return new Mark(
                Growth.EMITTED.get(),
                System.nanoTime(),
                ((com.sun.management.OperatingSystemMXBean)
                                ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime());
    }

    private void describe(CollectionManifest live, CollectionHandle handle) throws IOException {
        values.put("documents", (double) live.liveDocCount());
        values.put("splits", (double) live.splits().size());
        values.put("fragments", (double) handle.rows().files(live).size());
        values.put("version", (double) live.version());
        long deleted = live.splits().stream().mapToLong(split -> split.deletedCount()).sum();
        values.put("deleted documents", (double) deleted);
    }
}
