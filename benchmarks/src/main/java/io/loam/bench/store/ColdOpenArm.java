package io.loam.bench.store;

import io.loam.bench.Arm;
import io.loam.bench.job.Documents;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;

import com.sun.management.OperatingSystemMXBean;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Opens warehouse and collection, searches for two words, ranked, and reads the ten best documents;
 * again and again, with nothing kept in between. The first time, which loads classes and native
 * libraries, stands by itself.
 */
final class ColdOpenArm implements Arm {
    static final String WAREHOUSE = "warehouse";

    /** Argument: how often, the first time apart. */
    static final String TIMES = "times";

    private static final int BEST = 10;
    private static final int FREQUENT = 100;

    private final Map<String, Double> values = new TreeMap<>();

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        WarehouseOptions options = WarehouseOptions.local(Path.of(args.get(WAREHOUSE)));
        int times = Integer.parseInt(args.get(TIMES));
        values.put("first of process", search(options, 0));
        double[] tookMs = new double[times];
        long cpuNanos = cpuNanos();
        for (int i = 0; i < times; i++) {
            tookMs[i] = search(options, i + 1);
        }
        values.put("cpu ms", (cpuNanos() - cpuNanos) / 1e6 / times);
        Arrays.sort(tookMs);
        values.put("p50", tookMs[times / 2]);
        values.put("max", tookMs[times - 1]);
        return values;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Milliseconds until the documents are there. */
    private double search(WarehouseOptions options, int number) throws IOException {
        long started = System.nanoTime();
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle handle = warehouse.open("default", "docs");
                CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
            String text =
                    Documents.word(FREQUENT + number) + " " + Documents.word(2 * FREQUENT + number);
            List<SearchResult> best =
                    reader.search(
                            QueryParser.parse(text, handle.schema()), BEST, Projection.SOURCES);
            double tookMs = (System.nanoTime() - started) / 1e6;
            if (best.size() != BEST) {
                throw new IOException("\"" + text + "\" finds " + best.size() + " documents");
            }
            values.put("splits", (double) reader.manifest().splits().size());
            values.put("documents", (double) reader.count());
            return tookMs;
        }
    }
}
