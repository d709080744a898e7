package io.loam.jobs.demo;

import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.VectorIndexRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.testing.Campaign;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.IndexPolicy;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.maintain.RoundReport;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** How many of the nearest glosses of WordNet an index finds, and what it costs to keep it. */
class IndexRecallITCase {
    private static final int GLOSSES = Campaign.size(1_200, 40_000);
    private static final int QUERIES = Campaign.size(40, 100);
    private static final int BATCH = 200;
    private static final int K = 10;
    private static final int EXACT_SEARCHES = 3;

    /** All glosses in one index, and so few more make a segment. */
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("indexer/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withIndex(
                            new IndexPolicy(
                                    true, GLOSSES * 9 / 10, GLOSSES / 100, 4, Long.MAX_VALUE));

    @TempDir Path dir;

    private final List<float[]> vectors = new ArrayList<>();
    private final List<String> topics = new ArrayList<>();
    private final Map<Integer, Set<Integer>> nearest = new HashMap<>();
    private TestLog log;
    private final StringBuilder table = new StringBuilder();
    private final StringBuilder filtered = new StringBuilder();
    private Warehouse warehouse;
    private CollectionHandle handle;

    @BeforeEach
    void embed() throws Exception {
        warehouse = Warehouse.openOrCreate(WarehouseOptions.local(dir.resolve("warehouse")));
        GlossEmbeddings embeddings = new GlossEmbeddings();
        List<WordNet.Entry> entries = WordNet.read().subList(0, GLOSSES + QUERIES);
        entries.forEach(
                entry -> topics.add(((JsonString) entry.source().members().get("topic")).value()));
        for (int from = 0; from < entries.size(); from += BATCH) {
            int to = Math.min(from + BATCH, entries.size());
            vectors.addAll(
                    embeddings.embedAll(
                            entries.subList(from, to).stream().map(WordNet.Entry::gloss).toList()));
        }
    }

    @AfterEach
    void close() throws IOException {
        handle.close();
        warehouse.close();
    }

    @Test
    void findsTheNearestGlosses() throws IOException {
        table.append(
                "| index | rows | build | probes | candidates | recall@10 | a search | exact |\n"
                        + "|---|---|---|---|---|---|---|---|\n");
        filtered.append(
                "| index | filter | rows it leaves | recall@10 | a search | exact |\n"
                        + "|---|---|---|---|---|---|\n");
        List<Double> recalls = new ArrayList<>();
        recalls.add(measure("auto", new VectorIndex.Auto(), Distance.COSINE));
        if (Campaign.isFull()) {
            recalls.add(measure("hnsw", new VectorIndex.IvfHnswSq(null), Distance.COSINE));
            recalls.add(measure("rq", new VectorIndex.IvfRq(null, 1), Distance.COSINE));
        }
        Campaign.report("recall", table.toString());
        Campaign.report("filtered recall", filtered.toString());
        assertThat(recalls).allSatisfy(found -> assertThat(found).isGreaterThanOrEqualTo(0.95));
    }

    private double measure(String name, VectorIndex index, Distance distance) throws IOException {
        create(name, index, distance);
        Path work = Files.createDirectories(dir.resolve("work"));
        try (LinkApplyCommitter apply =
                new LinkApplyCommitter(handle, CommitterOptions.of("writer"))) {
            TestWriter writer = TestWriter.start(handle, log, dir);
            int more = GLOSSES / 100;
            add(0, GLOSSES - more);
            apply.commit(writer.checkpoint(1), false);
            long first = build(work);
            double recall = 0;
            for (SearchEffort effort :
                    List.of(
                            new SearchEffort(false, 8, 20),
                            new SearchEffort(false, 16, 20),
                            new SearchEffort(false, 32, 10),
                            SearchEffort.DEFAULT,
                            new SearchEffort(false, 64, 20))) {
                double found = recall(effort, GLOSSES - more, distance);
                recall = effort.equals(SearchEffort.DEFAULT) ? found : recall;
                row(name, GLOSSES - more, first, effort, found);
            }
            recall = Math.min(recall, filtered(name, GLOSSES - more, distance));
            add(GLOSSES - more, GLOSSES);
            apply.commit(writer.checkpoint(1), false);
            long second = build(work);
            assertThat(handle.live().manifest().vectorIndexes())
                    .extracting(VectorIndexRef::indexName)
                    .containsExactly("vec_0", "vec_0");
            double all = recall(SearchEffort.DEFAULT, GLOSSES, distance);
            row(
                    String.format(
                            Locale.ROOT,
                            "%s, a segment of %d more: %.1f %% of a build",
                            name,
                            more,
                            second * 100.0 / first),
                    GLOSSES,
                    second,
                    SearchEffort.DEFAULT,
                    all);
            if (Campaign.isFull()) {
                assertThat(second).as("ms for 1 % of the rows").isLessThan(first / 10);
            }
            return Math.min(recall, all);
        }
    }

    /** The filter of a question, as a query and as what it means. */
    private record Filter(String name, IntFunction<SearchQuery> query, Matches matches) {}

    private interface Matches {
        boolean test(int question, int row);
    }

    private Filter below(String name, int rows) {
        return new Filter(
                name,
                question -> new SearchQuery.Range("n", null, null, true, (long) rows, false),
                (question, row) -> row < rows);
    }

    /** Glosses of the topic that another question has. */
    private Filter topic(String name, int further) {
        IntFunction<String> topic =
                question -> topics.get(GLOSSES + (question + further) % QUERIES);
        return new Filter(
                name,
                question -> new SearchQuery.Term("topic", null, topic.apply(question)),
                (question, row) -> topics.get(row).equals(topic.apply(question)));
    }

    /** The least recall of all filters. */
    private double filtered(String name, int rows, Distance distance) throws IOException {
        double least = 1;
        for (Filter filter :
                List.of(
                        below("three rows", 3),
                        below("1 % of the rows", rows / 100),
                        below("10 %", rows / 10),
                        below("50 %", rows / 2),
                        below("all", rows),
                        topic("the question's own topic", 0),
                        topic("another question's topic", 7))) {
            least = Math.min(least, filtered(name, filter, rows, distance));
        }
        return least;
    }

    private double filtered(String name, Filter filter, int rows, Distance distance)
            throws IOException {
        int found = 0;
        int there = 0;
        long left = 0;
        long searched = 0;
        long compared = 0;
        try (CollectionReader reader = CollectionReader.open(handle)) {
            reader.count(filter.query().apply(0));
            for (int i = 0; i < QUERIES; i++) {
                int question = i;
                int[] matching =
                        IntStream.range(0, rows)
                                .filter(row -> filter.matches().test(question, row))
                                .toArray();
                Set<Integer> expected = nearest(GLOSSES + i, matching, distance);
                long begun = System.nanoTime();
                List<ScoredRow> hits = search(reader, i, filter, SearchEffort.DEFAULT);
                searched += System.nanoTime() - begun;
                assertThat(hits).hasSize(Math.min(K, matching.length));
                assertThat(hits)
                        .allMatch(hit -> filter.matches().test(question, number(hit.row().key())));
                found +=
                        (int)
                                hits.stream()
                                        .filter(hit -> expected.contains(number(hit.row().key())))
                                        .count();
                there += expected.size();
                left += matching.length;
                if (i < EXACT_SEARCHES) {
                    begun = System.nanoTime();
                    search(reader, i, filter, SearchEffort.EXACT);
                    compared += System.nanoTime() - begun;
                }
            }
        }
        filtered.append(
                String.format(
                        Locale.ROOT,
                        "| %s | %s | %d | %.3f | %.1f ms | %.1f ms |%n",
                        name,
                        filter.name(),
                        left / QUERIES,
                        found / (double) there,
                        searched / 1e6 / QUERIES,
                        compared / 1e6 / EXACT_SEARCHES));
        return found / (double) there;
    }

    private List<ScoredRow> search(
            CollectionReader reader, int question, Filter filter, SearchEffort effort)
            throws IOException {
        return reader.nearest(
                "v",
                vectors.get(GLOSSES + question),
                K,
                filter.query().apply(question),
                effort,
                Projection.KEYS);
    }

    private void row(String name, int rows, long buildMs, SearchEffort effort, double recall)
            throws IOException {
        table.append(
                String.format(
                        Locale.ROOT,
                        "| %s | %d | %d ms | %d | %d | %.3f | %.1f ms | %s |%n",
                        name,
                        rows,
                        buildMs,
                        effort.probes(),
                        effort.candidates(),
                        recall,
                        searchMs(effort),
                        effort.equals(SearchEffort.DEFAULT)
                                ? String.format(
                                        Locale.ROOT, "%.1f ms", searchMs(SearchEffort.EXACT))
                                : ""));
    }

    private void create(String name, VectorIndex index, Distance distance) throws IOException {
        if (handle != null) {
            handle.close();
        }
        log = new TestLog(1);
        CollectionSchema schema =
                new CollectionSchema(
                        1,
                        List.of(
                                new Field("n", "n", new FieldKind.I64(), true, true, false),
                                new Field(
                                        "topic",
                                        "topic",
                                        new FieldKind.Keyword(),
                                        true,
                                        true,
                                        false)),
                        List.of(
                                new Vector(
                                        "v",
                                        GlossEmbeddings.DIMENSION,
                                        distance,
                                        Element.F32,
                                        index,
                                        Hnsw.DEFAULT,
                                        null)),
                        List.of(),
                        Dynamic.IGNORE,
                        CollectionSchema.DEFAULT_MAX_FIELDS,
                        Map.of());
        handle =
                warehouse.open(
                        warehouse
                                .metastore()
                                .createCollection("default", name, schema, 1, null)
                                .id());
    }

    private void add(int from, int to) {
        for (int i = from; i < to; i++) {
            log.add(
                    new Operation.Upsert(
                            new Document(
                                    PrimaryKey.ofU64(i),
                                    new JsonObject(
                                            Map.of(
                                                    "n",
                                                    JsonInteger.of(i),
                                                    "topic",
                                                    new JsonString(topics.get(i)))),
                                    Map.of("v", vectors.get(i)),
                                    Map.of())));
        }
    }

    private long build(Path work) throws IOException {
        long begun = System.nanoTime();
        RoundReport report = new MaintenanceRound(handle, OPTIONS, work).run();
        assertThat(report.tasks())
                .singleElement()
                .satisfies(
                        task ->
                                assertThat(task.status())
                                        .as(task.text())
                                        .isEqualTo(RoundReport.Status.PUBLISHED));
        return (System.nanoTime() - begun) / 1_000_000;
    }

    /** Against all distances, computed here. */
    private double recall(SearchEffort effort, int rows, Distance distance) throws IOException {
        int found = 0;
        try (CollectionReader reader = CollectionReader.open(handle)) {
            for (int i = 0; i < QUERIES; i++) {
                int question = i;
                Set<Integer> expected =
                        nearest.computeIfAbsent(
                                rows * QUERIES + i,
                                any ->
                                        nearest(
                                                GLOSSES + question,
                                                IntStream.range(0, rows).toArray(),
                                                distance));
                found += (int) search(reader, i, effort).filter(expected::contains).count();
            }
        }
        return found / (double) (K * QUERIES);
    }

    private Set<Integer> nearest(int query, int[] rows, Distance distance) {
        double[] distances = new double[GLOSSES];
        PriorityQueue<Integer> farthest =
                new PriorityQueue<>(Comparator.comparingDouble(row -> -distances[row]));
        for (int row : rows) {
            distances[row] = distance(vectors.get(query), vectors.get(row), distance);
            if (farthest.size() < K || distances[row] < distances[farthest.peek()]) {
                farthest.add(row);
            }
            if (farthest.size() > K) {
                farthest.remove();
            }
        }
        return Set.copyOf(farthest);
    }

    private static double distance(float[] a, float[] b, Distance distance) {
        double dot = 0;
        double squares = 0;
        double squaresA = 0;
        double squaresB = 0;
        for (int i = 0; i < a.length; i++) {
            dot += (double) a[i] * b[i];
            squaresA += (double) a[i] * a[i];
            squaresB += (double) b[i] * b[i];
            double difference = (double) a[i] - b[i];
            squares += difference * difference;
        }
        return switch (distance) {
            case COSINE -> 1 - dot / Math.sqrt(squaresA * squaresB);
            case DOT -> -dot;
            default -> squares;
        };
    }

    private double searchMs(SearchEffort effort) throws IOException {
        int searches = effort.exact() ? EXACT_SEARCHES : 10;
        try (CollectionReader reader = CollectionReader.open(handle)) {
            search(reader, 0, effort);
            long begun = System.nanoTime();
            for (int i = 0; i < searches; i++) {
                search(reader, i, effort);
            }
            return (System.nanoTime() - begun) / 1e6 / searches;
        }
    }

    /** Which glosses are found. */
    private Stream<Integer> search(CollectionReader reader, int query, SearchEffort effort)
            throws IOException {
        List<ScoredRow> rows =
                reader.nearest("v", vectors.get(GLOSSES + query), K, null, effort, Projection.KEYS);
        assertThat(rows).hasSize(K);
        return rows.stream().map(scored -> number(scored.row().key()));
    }

    private static int number(PrimaryKey key) {
        return (int) key.u64();
    }
}
