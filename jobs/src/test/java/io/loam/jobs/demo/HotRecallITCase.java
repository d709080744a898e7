package io.loam.jobs.demo;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
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
import io.loam.codec.schema.HotConfiguration;
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
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Searches of the nearest glosses of WordNet by a hot graph, beside an index and all rows. */
class HotRecallITCase {
    private static final int GLOSSES = Campaign.size(800, 6_000);
    private static final int QUERIES = Campaign.size(30, 100);
    private static final int BATCH = 200;
    private static final int K = 10;
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("hot/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withIndex(new IndexPolicy(true, GLOSSES / 2, GLOSSES, 4, Long.MAX_VALUE));

    @TempDir Path dir;

    private final List<float[]> vectors = new ArrayList<>();
    private final Map<String, Map<PrimaryKey, Float>> exact = new HashMap<>();
    private final TestLog log = new TestLog(1);
    private final StringBuilder table =
            new StringBuilder(
                    "| searched by | rows | build | recall@10 | first search | a search | with half"
                            + " of the rows | recall@10 |\n|---|---|---|---|---|---|---|---|\n");

    @Test
    void findsTheNearestGlosses() throws Exception {
        embed();
        try (Warehouse warehouse =
                Warehouse.openOrCreate(WarehouseOptions.local(dir.resolve("warehouse")))) {
            long id =
                    warehouse
                            .metastore()
                            .createCollection("default", "glosses", schema(1, Map.of()), 1, null)
                            .id();
            Path work = Files.createDirectories(dir.resolve("work"));
            try (CollectionHandle handle = warehouse.open(id);
                    LinkApplyCommitter apply =
                            new LinkApplyCommitter(handle, CommitterOptions.of("writer"))) {
                TestWriter writer = TestWriter.start(handle, log, dir);
                int more = GLOSSES / 100;
                add(0, GLOSSES - more);
                apply.commit(writer.checkpoint(1), false);
                measure(handle, "all rows", 0, SearchEffort.EXACT);
                measure(handle, "index (IVF_PQ)", build(handle, work), SearchEffort.DEFAULT);

                Map<String, String> pinned = Map.of(HotConfiguration.KEY, "[\"v\"]");
                warehouse.metastore().updateSchema(id, 1, schema(2, pinned));
                handle.refreshSchema();
                long built = build(handle, work);
                double recall = measure(handle, "hot graph", built, SearchEffort.DEFAULT);
                add(GLOSSES - more, GLOSSES);
                apply.commit(writer.checkpoint(1), false);
                exact.clear();
                double beside =
                        measure(
                                handle,
                                "hot graph, " + more + " rows beside",
                                built,
                                SearchEffort.DEFAULT);
                Campaign.report("hot", table.toString());
                assertThat(Math.min(recall, beside)).isGreaterThanOrEqualTo(0.95);
                try (CollectionReader reader = CollectionReader.open(handle)) {
                    assertThat(reader.explainNearest("v", false, SearchEffort.DEFAULT))
                            .startsWith("hot graph of version 2 (")
                            .endsWith(" 0 rows deleted since, " + more + " newer)");
                }
            }
        }
    }

    private void embed() throws Exception {
        GlossEmbeddings embeddings = new GlossEmbeddings();
        List<WordNet.Entry> entries = WordNet.read().subList(0, GLOSSES + QUERIES);
        for (int from = 0; from < entries.size(); from += BATCH) {
            int to = Math.min(from + BATCH, entries.size());
            vectors.addAll(
                    embeddings.embedAll(
                            entries.subList(from, to).stream().map(WordNet.Entry::gloss).toList()));
        }
    }

    private static CollectionSchema schema(long version, Map<String, String> annotations) {
        return new CollectionSchema(
                version,
                List.of(new Field("n", "n", new FieldKind.I64(), true, true, false)),
                List.of(
                        new Vector(
                                "v",
                                GlossEmbeddings.DIMENSION,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                annotations);
    }

    private void add(int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] source = ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8);
            log.add(
                    new Operation.Upsert(
                            new Document(
                                    PrimaryKey.ofU64(i),
                                    Json.parseObject(source),
                                    Map.of("v", vectors.get(i)),
                                    Map.of())));
        }
    }

    private static long build(CollectionHandle handle, Path work) throws IOException {
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

    private double measure(CollectionHandle handle, String name, long buildMs, SearchEffort effort)
            throws IOException {
        SearchQuery half = QueryParser.parse("n<" + GLOSSES / 2, schema(1, Map.of()));
        try (CollectionReader reader = CollectionReader.open(handle)) {
            long begun = System.nanoTime();
            search(reader, 0, null, effort);
            double first = (System.nanoTime() - begun) / 1e6;
            search(reader, 0, half, effort);
            Measured plain = measure(reader, null, effort);
            Measured filtered = measure(reader, half, effort);
            table.append(
                    String.format(
                            Locale.ROOT,
                            "| %s | %d | %s | %.3f | %.1f ms | %.2f ms | %.2f ms | %.3f |%n",
                            name,
                            reader.count(),
                            buildMs == 0 ? "" : buildMs + " ms",
                            plain.recall(),
                            first,
                            plain.ms(),
                            filtered.ms(),
                            filtered.recall()));
            return Math.min(plain.recall(), filtered.recall());
        }
    }

    private record Measured(double recall, double ms) {}

    private Measured measure(
            CollectionReader reader, @Nullable SearchQuery filter, SearchEffort effort)
            throws IOException {
        int found = 0;
        long nanos = 0;
        int searches = effort.exact() ? QUERIES / 10 : QUERIES;
        for (int i = 0; i < searches; i++) {
            Map<PrimaryKey, Float> nearest = exact(reader, i, filter);
            long begun = System.nanoTime();
            List<ScoredRow> rows = search(reader, i, filter, effort);
            nanos += System.nanoTime() - begun;
            assertThat(rows).hasSize(K);
            for (ScoredRow row : rows) {
                Float same = nearest.get(row.row().key());
                if (same != null) {
                    assertThat(row.distance()).isEqualTo(same);
                    found++;
                }
            }
        }
        return new Measured(found / (double) (K * searches), nanos / 1e6 / searches);
    }

    private Map<PrimaryKey, Float> exact(
            CollectionReader reader, int question, @Nullable SearchQuery filter)
            throws IOException {
        String key = question + " " + (filter != null);
        if (!exact.containsKey(key)) {
            exact.put(
                    key,
                    search(reader, question, filter, SearchEffort.EXACT).stream()
                            .collect(
                                    Collectors.toMap(row -> row.row().key(), ScoredRow::distance)));
        }
        return exact.get(key);
    }

    private List<ScoredRow> search(
            CollectionReader reader,
            int question,
            @Nullable SearchQuery filter,
            SearchEffort effort)
            throws IOException {
        return reader.nearest(
                "v", vectors.get(GLOSSES + question), K, filter, effort, Projection.KEYS);
    }
}
