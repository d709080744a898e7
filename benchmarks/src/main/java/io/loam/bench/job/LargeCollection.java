package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.store.LocalFiles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Collections that several figures use, made when the first of them asks. A figure alone makes what
 * it needs.
 */
public final class LargeCollection {
    private static final Duration LONGEST = Duration.ofMinutes(8);
    private static final int HEAP_MB = 1_024;
    private static Map<String, Double> grown;
    private static String failure = "";

    private LargeCollection() {}

    /** Makes one of them, unless it is there. */
    @FunctionalInterface
    public interface Maker {
        Path make(BenchContext context) throws IOException, InterruptedException;
    }

    /** Keys it has in the end. */
    static int keys(BenchContext context) {
        return context.size(40_000, 3_000_000);
    }

    /** Keys it begins with. */
    static int keysAtFirst(BenchContext context) {
        return context.size(10_000, 100_000);
    }

    /** What was measured while it grew. */
    static synchronized Map<String, Double> growth(BenchContext context)
            throws IOException, InterruptedException {
        if (!failure.isEmpty()) {
            throw new IOException("the collection was not made: " + failure);
        }
        if (grown == null) {
            try {
                grown = grow(context);
            } catch (IOException e) {
                failure = e.getMessage(); // not tried again for every figure
                throw e;
            }
        }
        return grown;
    }

    private static Map<String, Double> grow(BenchContext context)
            throws IOException, InterruptedException {
        return context.forkOnce(
                GrowthArm.class,
                Map.of(
                        GrowthArm.WAREHOUSE, folder(context, "grown").toString(),
                        GrowthArm.SMALL, Integer.toString(keysAtFirst(context)),
                        GrowthArm.LARGE, Integer.toString(keys(context)),
                        GrowthArm.WINDOW, Integer.toString(context.size(5_000, 200_000)),
                        GrowthArm.SEED, Long.toString(context.seed())),
                List.of("-Xmx" + HEAP_MB + "m"),
                LONGEST);
    }

    /** Of short documents: 3 million keys, merged and compacted while it grew. */
    public static Path ofManyKeys(BenchContext context) throws IOException, InterruptedException {
        growth(context);
        return folder(context, "grown");
    }

    /** Of long documents with vectors, 200 000, none of them replaced. */
    public static synchronized Path ofLongDocuments(BenchContext context)
            throws IOException, InterruptedException {
        Path folder = folder(context, "long");
        if (!Files.exists(folder)) {
            try {
                insert(context, folder);
            } catch (IOException e) {
                LocalFiles.delete(folder); // half of it must not be measured as the whole
                throw e;
            }
        }
        return folder;
    }

    private static void insert(BenchContext context, Path folder)
            throws IOException, InterruptedException {
        context.forkOnce(
                InsertArm.class,
                Map.of(
                        InsertArm.WAREHOUSE, folder.toString(),
                        InsertArm.PARALLELISM, "2",
                        InsertArm.WARM_UP, "1000",
                        InsertArm.DOCUMENTS, Integer.toString(context.size(19_000, 199_000)),
                        InsertArm.SEED, Long.toString(context.seed())));
    }

    private static Path folder(BenchContext context, String name) throws IOException {
        return context.inputs().resolve(name);
    }
}
