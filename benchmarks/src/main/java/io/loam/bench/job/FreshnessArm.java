package io.loam.bench.job;

import io.loam.bench.Arm;
import io.loam.bench.RunningJob;
import io.loam.codec.key.PrimaryKey;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long after a document was given to the job a search finds it. One subtask and keys in order,
 * so that a version holds the documents up to some number; that the last of them is found says that
 * all of them are. First the job runs as fast as it can, then at half of that.
 */
final class FreshnessArm implements Arm {
    /** Argument: documents to find out by how fast the job can be. */
    static final String FULL_LOAD = "full-load";

    /** Argument: how long it then runs at half of that. */
    static final String SECONDS = "seconds";

    /** The first commits of the job are not measured. */
    private static final double SKIPPED_SECONDS = 4;

    private static final long LOOK_MS = 2;

    private final Map<String, Double> values = new TreeMap<>();
    private double[] waitedMs;
    private int seen;
    private long lastVersion;
    private double searchMs;
    private int versions;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Path directory = Path.of(args.get(DIRECTORY));
        DocumentSource source = InsertArm.source(args);
        WarehouseOptions options = WarehouseOptions.local(directory.resolve("warehouse"));
        try (Warehouse warehouse = InsertArm.create(options, source);
                CollectionHandle handle = warehouse.open("default", "docs")) {
            long first = Long.parseLong(args.get(FULL_LOAD));
            double full = fullLoad(options, directory, source, first);
            double rate = full / 2;
            int skipped = (int) (rate * SKIPPED_SECONDS);
            int count = skipped + (int) (rate * Double.parseDouble(args.get(SECONDS)));
            waitedMs = new double[count];
            RunningJob maintenance = LoadJob.startMaintenance(options, directory);
            RunningJob job =
                    new LoadJob(options, directory.resolve("half"))
                            .checkpoints(Duration.ofSeconds(1))
                            .start(count, Inserts.limited(source, first, rate, count))
                            .beside(maintenance);
            lastVersion = version(handle);
            job.await(
                    "a search found all of its " + count + " documents",
                    LOOK_MS,
                    () -> {
                        look(handle, first);
                        return seen == count;
                    });
            job.finish();
            maintenance.cancel();
            double[] measured = Arrays.copyOfRange(waitedMs, skipped, count);
            Arrays.sort(measured);
            values.put("full load", full);
            values.put("half load", rate);
            values.put("p50", measured[measured.length / 2]);
            values.put("p99", measured[(int) (measured.length * 0.99)]);
            values.put("max", measured[measured.length - 1]);
            values.put("search ms", searchMs / versions);
            values.put("versions", (double) versions);
        }
        return values;
    }

    private static double fullLoad(
            WarehouseOptions options, Path directory, DocumentSource source, long documents)
            throws Exception {
        RunningJob job =
                new LoadJob(options, directory.resolve("full"))
                        .checkpoints(Duration.ofSeconds(1))
                        .start(documents, Inserts.unlimited(source));
        job.await(
                "half of the documents were asked for",
                LOOK_MS,
                () -> Inserts.EMITTED.get() >= documents / 2);
        long half = Inserts.EMITTED.get();
        long started = System.nanoTime();
        job.finish();
        return (documents - half) * 1e9 / (System.nanoTime() - started);
    }

    private static long version(CollectionHandle handle) throws IOException {
        return handle.metastore().head(handle.info().id()).pointer().version();
    }

    /** Searches each version there is to see, until none is newer. */
    private void look(CollectionHandle handle, long first) throws IOException {
        for (long now = version(handle); now != lastVersion; now = version(handle)) {
            lastVersion = now;
            search(handle, first);
        }
    }

    /** Finds the newest document of the live version. */
    private void search(CollectionHandle handle, long before) throws IOException {
        long started = System.nanoTime();
        try (CollectionReader reader = CollectionReader.open(handle)) {
            long newest = reader.count() - 1;
            if (newest < before + seen) {
                return; // a version of the side jobs
            }
            List<SearchResult> found =
                    reader.search(
                            QueryParser.parse("n:" + newest, handle.schema()), 1, Projection.KEYS);
            if (found.isEmpty() || !found.get(0).row().key().equals(PrimaryKey.ofU64(newest))) {
                throw new IOException("the search for document " + newest + " finds " + found);
            }
            long now = System.nanoTime();
            for (; seen <= newest - before; seen++) {
                waitedMs[seen] = (now - Inserts.emittedAt(seen)) / 1e6;
            }
            versions++;
            searchMs += (now - started) / 1e6;
        }
    }
}
