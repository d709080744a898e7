package io.loam.bench.jmh;

import io.loam.codec.Ulid;
import io.loam.codec.lance.DataFileName;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.lance.LanceManifestEdit;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Manifests of a Lance dataset of 10, 100 and 1 000 fragments, each of which has lost rows: reading
 * them, and writing the next version.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LanceManifestBenchmark {
    private static final int ROWS = 10_000;
    private static final long FILE_BYTES = 8 << 20;
    private static final int CHANGES = 1_000;
    private static final int TOUCHED = 32;
    private static final long TIME_MS = 1_700_000_000_000L;

    @Param({"10", "100", "1000"})
    int fragments;

    private final Map<String, byte[]> deletionFiles = new HashMap<>();
    private byte[] file;
    private LanceManifest manifest;
    private long[] few;
    private long[] scattered;

    @Setup
    public void make() throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        LanceManifest empty = LanceManifest.parse(emptyDataset(), "empty");
        LanceManifestEdit edit = empty.edit(Long.MIN_VALUE, path -> new byte[0]);
        for (int i = 0; i < fragments; i++) {
            add(edit, i);
        }
        // Even rows are lost beforehand, odd ones later.
        edit.delete(rows(random, fragments, fragments * 100, 0));
        Edited first = edit.finish((long) fragments * ROWS, TIME_MS);
        first.deletionFiles().forEach(put -> deletionFiles.put(put.path(), put.bytes()));
        file = first.manifest();
        manifest = LanceManifest.parse(file, "manifest");
        few = rows(random, Math.min(fragments, TOUCHED), CHANGES, 1);
        scattered = rows(random, fragments, CHANGES, 1);
    }

    /** What a commit adds: a fragment for a unit. */
    private static void add(LanceManifestEdit edit, int number) {
        Ulid unit =
                Ulid.fromBytes(
                        new byte[] {
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            (byte) (number >> 8),
                            (byte) number
                        });
        edit.addFragment(
                DataFileName.of(unit, 0), FILE_BYTES, List.of(), (long) number * ROWS, ROWS);
    }

    /** Row ids of the first fragments, ascending, all even or all odd. */
    private static long[] rows(SplittableRandom random, int among, int count, int parity) {
        TreeSet<Long> rows = new TreeSet<>();
        for (int i = 0; rows.size() < count; i++) {
            rows.add((long) (i % among) * ROWS + random.nextInt(ROWS / 2) * 2 + parity);
        }
        return rows.stream().mapToLong(Long::longValue).toArray();
    }

    /** The manifest of a dataset without rows, as a collection begins with. */
    private static byte[] emptyDataset() throws IOException {
        Path folder = Files.createTempDirectory("loam-jmh");
        try (Warehouse warehouse = Warehouse.openOrCreate(WarehouseOptions.local(folder))) {
            CollectionSchema schema =
                    new CollectionSchema(
                            1,
                            List.of(),
                            List.of(),
                            List.of(),
                            CollectionSchema.Dynamic.IGNORE,
                            CollectionSchema.DEFAULT_MAX_FIELDS,
                            Map.of());
            warehouse.metastore().createCollection("default", "docs", schema, 1, null);
            try (CollectionHandle handle = warehouse.open("default", "docs")) {
                handle.rows().ensureDataset();
            }
            try (Stream<Path> files = Files.walk(folder)) {
                Path made =
                        files.filter(path -> path.toString().endsWith(".manifest"))
                                .findFirst()
                                .orElseThrow();
                return Files.readAllBytes(made);
            }
        } finally {
            LocalFiles.delete(folder);
        }
    }

    @Benchmark
    public LanceManifest parse() {
        return LanceManifest.parse(file, "manifest");
    }

    /** A fragment more; 1 000 rows of at most 32 fragments deleted, whose deletion files grow. */
    @Benchmark
    public Edited rewrite() {
        return edited(few);
    }

    /** The same with rows of all fragments. */
    @Benchmark
    public Edited rewriteScattered() {
        return edited(scattered);
    }

    /** The same with no row deleted. */
    @Benchmark
    public Edited append() {
        return edited(new long[0]);
    }

    private Edited edited(long[] deleted) {
        LanceManifestEdit edit = manifest.edit(Long.MIN_VALUE + 1, deletionFiles::get);
        add(edit, fragments);
        return edit.delete(deleted).finish((fragments + 1L) * ROWS, TIME_MS);
    }
}
