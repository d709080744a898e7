package io.loam.bench.store;

import io.loam.bench.Arm;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.StagedUnit;
import io.loam.lance.LanceRowStoreProvider;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.object.ObjectStore.Put;
import io.loam.tantivy.TantivySplitStoreProvider;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Commits to a collection of so many fragments and splits, each of which replaces 1 000 keys; after
 * each, the same objects are put again with nothing around them, and an unmeasured commit takes the
 * new rows away, so that the next one finds as many fragments.
 */
final class CommitArm implements Arm {
    /** Argument: fragments, and splits. */
    static final String FRAGMENTS = "fragments";

    /** Argument: how many of them lose rows; 0 for all. */
    static final String TOUCHED = "touched";

    /** Argument: commits to measure. */
    static final String COMMITS = "commits";

    /** Argument: units that the changes of a commit come in; 1 unless given. */
    static final String UNITS = "units";

    static final String SEED = "seed";

    private static final int KEYS = 1_000;
    private static final int LONGEST_WARM_UP = 12;
    private static final int UNITS_AT_A_TIME = 50;
    private static final int PARTITIONS = 8;
    private static final int QUESTIONS = 200;

    private final Set<Long> taken = new HashSet<>();
    private int fragments;
    private int rows;
    private int units;
    private int warmUp;
    private final List<Double> commitMs = new ArrayList<>();
    private final List<Double> bareMs = new ArrayList<>();
    private long puts;
    private long putBytes;
    private long manifestBytes;
    private final Map<String, Double> values = new TreeMap<>();

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        fragments = Integer.parseInt(args.get(FRAGMENTS));
        int touched = Integer.parseInt(args.get(TOUCHED));
        units = Integer.parseInt(args.getOrDefault(UNITS, "1"));
        int commits = Integer.parseInt(args.get(COMMITS));
        warmUp = Math.min(LONGEST_WARM_UP, commits / 2);
        // Every fragment keeps a part of its rows to the end.
        int lost = KEYS / Math.min(fragments, touched == 0 ? fragments : touched) + 1;
        rows = Math.max(2_000, fragments > 100 ? 0 : lost * (commits + warmUp) * 3 / 2);
        WarehouseOptions options =
                WarehouseOptions.local(Path.of(args.get(DIRECTORY)).resolve("warehouse"));
        try (Warehouse warehouse = Warehouse.openOrCreate(options);
                RecordedPuts recorded = new RecordedPuts(warehouse.objects())) {
            warehouse.metastore().createCollection("default", "docs", schema(), PARTITIONS, null);
            Warehouse seen =
                    Warehouse.of(
                            warehouse.metastore(),
                            recorded,
                            new LanceRowStoreProvider(),
                            new TantivySplitStoreProvider());
            try (CollectionHandle handle = seen.open("default", "docs");
                    LinkApplyCommitter committer =
                            new LinkApplyCommitter(handle, CommitterOptions.of("bench/1"))) {
                handle.rows().ensureDataset();
                PlannedCollection collection = new PlannedCollection(handle);
                fill(collection, committer);
                Random random = new Random(Long.parseLong(args.get(SEED)));
                for (int i = -warmUp; i < commits; i++) {
                    commit(collection, committer, recorded, keys(random, touched), i);
                }
                lookAtMetastore(handle);
            }
        }
        return values();
    }

    private static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    private void fill(PlannedCollection collection, LinkApplyCommitter committer)
            throws IOException {
        for (int done = 0; done < fragments; done += UNITS_AT_A_TIME) {
            List<StagedUnit> units = new ArrayList<>();
            for (int i = done; i < Math.min(fragments, done + UNITS_AT_A_TIME); i++) {
                units.add(collection.insert((long) i * rows, rows));
            }
            committer.commit(collection.committable(units), false);
        }
    }

    /** Keys of so many fragments, evenly spread over them, that were not taken before. */
    private long[] keys(Random random, int touched) {
        TreeSet<Integer> chosen = new TreeSet<>();
        while (chosen.size() < Math.min(fragments, touched == 0 ? fragments : touched)) {
            chosen.add(random.nextInt(fragments));
        }
        List<Integer> among = List.copyOf(chosen);
        TreeSet<Long> keys = new TreeSet<>();
        for (int i = 0; keys.size() < KEYS; i++) {
            long key = (long) among.get(i % among.size()) * rows + random.nextInt(rows);
            while (!taken.add(key)) {
                key = (long) among.get(i % among.size()) * rows + random.nextInt(rows);
            }
            keys.add(key);
        }
        return keys.stream().mapToLong(Long::longValue).toArray();
    }

    private void commit(
            PlannedCollection collection,
            LinkApplyCommitter committer,
            RecordedPuts recorded,
            long[] keys,
            int number)
            throws IOException {
        List<StagedUnit> staged = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            staged.add(collection.replace(part(keys, i)));
        }
        CollectionCommittable committable = collection.committable(staged);
        recorded.take();
        long started = System.nanoTime();
        committer.commit(committable, false);
        double tookMs = (System.nanoTime() - started) / 1e6;
        List<List<Put>> rounds = recorded.take();
        double bareTookMs = putBare(recorded, rounds, number);
        if (number >= 0) {
            commitMs.add(tookMs);
            bareMs.add(bareTookMs);
            puts = rounds.stream().mapToInt(List::size).sum();
            putBytes = rounds.stream().flatMap(List::stream).mapToLong(p -> p.bytes().length).sum();
            manifestBytes = rounds.get(rounds.size() - 1).get(0).bytes().length;
        }
        List<StagedUnit> taking = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            taking.add(collection.delete(part(keys, i), staged.get(i)));
        }
        committer.commit(collection.committable(taking), false);
    }

    private long[] part(long[] keys, int unit) {
        return Arrays.copyOfRange(
                keys, unit * keys.length / units, (unit + 1) * keys.length / units);
    }

    /** The same bytes in the same rounds, in folders of their own that are made before. */
    private static double putBare(RecordedPuts objects, List<List<Put>> rounds, int number)
            throws IOException {
        List<List<Put>> bare =
                rounds.stream()
                        .map(round -> round.stream().map(put -> elsewhere(put, number)).toList())
                        .toList();
        long started = System.nanoTime();
        for (List<Put> round : bare) {
            objects.putAll(round);
        }
        return (System.nanoTime() - started) / 1e6;
    }

    private static Put elsewhere(Put put, int number) {
        int name = put.path().lastIndexOf('/') + 1;
        return new Put(
                "bare/" + put.path().substring(0, name) + number + "-" + put.path().substring(name),
                put.bytes());
    }

    /** What one question to the metastore costs; a commit asks it four times. */
    private void lookAtMetastore(CollectionHandle handle) throws IOException {
        List<Double> took = new ArrayList<>();
        for (int i = 0; i < QUESTIONS; i++) {
            long started = System.nanoTime();
            handle.metastore().head(handle.info().id());
            took.add((System.nanoTime() - started) / 1e6);
        }
        values.put("metastore p50", percentile(took, 50));
    }

    private Map<String, Double> values() {
        values.put("commit p50", percentile(commitMs, 50));
        values.put("commit p99", percentile(commitMs, 99));
        values.put("bare p50", percentile(bareMs, 50));
        values.put("bare p99", percentile(bareMs, 99));
        values.put("puts", (double) puts);
        values.put("put bytes", (double) putBytes);
        values.put("manifest bytes", (double) manifestBytes);
        return values;
    }

    private static double percentile(List<Double> values, int percent) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }
}
