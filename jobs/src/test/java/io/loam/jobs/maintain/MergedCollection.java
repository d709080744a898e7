package io.loam.jobs.maintain;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceLease;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.read.SearchResult;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection with a field of most kinds, random changes, and everything one can ask it. */
final class MergedCollection implements AutoCloseable {
    static final CollectionSchema SCHEMA = schema(1, List.of());
    private static final int PARTITIONS = 2;
    private static final int ALL = 10_000;
    private static final String[] WORDS = {
        "river", "stone", "north", "lamp", "paper", "green", "wheel", "salt", "cloud", "fox"
    };

    /** Queries that only filter, or give every hit the same score. */
    private static final List<String> FILTERS =
            List.of(
                    "*",
                    "tag:=a",
                    "tag:*",
                    "n:[10 TO 40]",
                    "n>=50 AND tag:=b",
                    "NOT tag:*",
                    "p.city:=north",
                    "p.n:[1 TO 3]",
                    "p.city:null");

    private static final List<String> RANKED =
            List.of("river", "\"stone north\"", "+lamp -fox", "green wheel", "p.city:river");

    final Path dir;
    final Warehouse warehouse;
    final CollectionHandle handle;
    final TestLog log = new TestLog(PARTITIONS);
    private final LinkApplyCommitter apply;
    private TestWriter writer;

    MergedCollection(Path dir) throws IOException {
        this.dir = Files.createDirectories(dir.resolve("work"));
        this.warehouse = Warehouse.openOrCreate(WarehouseOptions.local(dir.resolve("warehouse")));
        long id =
                warehouse
                        .metastore()
                        .createCollection("default", "docs", SCHEMA, PARTITIONS, null)
                        .id();
        this.handle = warehouse.open(id);
        this.apply = new LinkApplyCommitter(handle, CommitterOptions.of("writer"));
        restart();
    }

    static CollectionSchema schema(long version, List<Field> more) {
        List<Field> fields = new ArrayList<>();
        fields.add(
                new Field(
                        "text", "text", new FieldKind.Text("standard", true), true, false, false));
        fields.add(new Field("tag", "tag", new FieldKind.Keyword(), true, true, false));
        fields.add(new Field("n", "n", new FieldKind.I64(), true, true, false));
        fields.add(new Field("p", "p", new FieldKind.Json(), true, true, false));
        fields.addAll(more);
        return new CollectionSchema(
                version,
                fields,
                List.of(
                        new Vector(
                                "v",
                                4,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(new SparseField("s", Modifier.NONE)),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    /** The writer starts anew, with the schema as it is. */
    void restart() throws IOException {
        handle.refreshSchema();
        writer = TestWriter.start(handle, log, dir);
    }

    /** Random changes, committed. */
    void change(Random random, int operations, int keys) throws IOException {
        for (int i = 0; i < operations; i++) {
            PrimaryKey key = PrimaryKey.ofU64(random.nextInt(keys));
            log.add(
                    switch (random.nextInt(6)) {
                        case 0 -> new Operation.Delete(key);
                        case 1 -> patch(key, random);
                        default -> new Operation.Upsert(document(key, random));
                    });
        }
        commit();
    }

    /** New documents of these keys, committed. */
    void append(Random random, int fromKey, int toKey) throws IOException {
        for (int key = fromKey; key < toKey; key++) {
            PrimaryKey added = PrimaryKey.ofU64(key);
            log.add(new Operation.Upsert(document(added, random)));
        }
        commit();
    }

    void commit() throws IOException {
        CollectionCommittable checkpoint = writer.checkpoint(1);
        assertThat(apply.commit(checkpoint, false)).isInstanceOf(CommitOutcome.Committed.class);
    }

    private static Document document(PrimaryKey key, Random random) {
        String words =
                random.ints(3 + random.nextInt(9), 0, WORDS.length)
                        .mapToObj(word -> WORDS[word])
                        .collect(Collectors.joining(" "));
        String tag =
                random.nextInt(4) == 0
                        ? ""
                        : ",\"tag\":\"" + "abc".charAt(random.nextInt(3)) + "\"";
        String city = random.nextInt(5) == 0 ? "null" : "\"" + WORDS[random.nextInt(4)] + "\"";
        float[] vector = {random.nextFloat(), random.nextFloat(), random.nextFloat(), 1};
        int[] indices = {random.nextInt(5), 5 + random.nextInt(5)};
        return new Document(
                key,
                json(
                        String.format(
                                "{\"text\":\"%s\"%s,\"n\":%d,\"later\":\"%s\",\"p\":{\"city\":%s,\"n\":%d}}",
                                words,
                                tag,
                                random.nextInt(100),
                                WORDS[random.nextInt(3)],
                                city,
                                random.nextInt(5))),
                random.nextInt(5) == 0 ? Map.of() : Map.of("v", vector),
                random.nextInt(3) == 0
                        ? Map.of()
                        : Map.of("s", new SparseVector(indices, new float[] {1, 2})));
    }

    private static JsonValue.JsonObject json(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Operation patch(PrimaryKey key, Random random) {
        return new Operation.Patch(
                key,
                PatchMode.MERGE_DEEP,
                json("{\"n\":" + random.nextInt(100) + "}"),
                List.of(),
                random.nextBoolean() ? Map.of() : Map.of("v", Optional.empty()),
                Map.of(),
                null);
    }

    /** Upserts of all documents that are live, in another collection's log. */
    void copyTo(MergedCollection other) throws IOException {
        try (CollectionReader reader = CollectionReader.open(handle);
                RowCursor cursor = reader.rows().scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                other.log.add(
                        new Operation.Upsert(
                                new Document(
                                        row.key(),
                                        Json.parseObject(row.source()),
                                        row.vectors(),
                                        row.sparseVectors())));
            }
        }
    }

    List<SplitRef> splits() throws IOException {
        return handle.live().manifest().splits();
    }

    List<FinishedWork> run(List<MaintenanceTask> tasks, MaintenanceOptions options)
            throws IOException {
        CollectionTaskRunner runner = new CollectionTaskRunner(handle, options, dir);
        List<FinishedWork> works = new ArrayList<>();
        for (MaintenanceTask task : tasks) {
            works.add(runner.run(task));
        }
        return works;
    }

    MaintenanceOutcome publish(List<FinishedWork> works, MaintenanceOptions options)
            throws IOException {
        String key = TaskKeys.lease(TaskKeys.mergeSplits(handle.info().id()));
        try (MaintenanceLease lease =
                        MaintenanceLease.acquire(handle.metastore(), key, options).orElseThrow();
                MaintenanceCommitter committer = new MaintenanceCommitter(handle, options, lease)) {
            return committer.publish(works);
        }
    }

    void verify() throws IOException {
        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
    }

    /** Everything that must not depend on how documents lie in splits, by question. */
    Map<String, Object> answers() throws IOException {
        Map<String, Object> answers = new TreeMap<>();
        try (CollectionReader reader = CollectionReader.open(handle)) {
            answers.put("count", reader.count());
            for (String text : FILTERS) {
                answers.put("count " + text, reader.count(QueryParser.parse(text, SCHEMA)));
                answers.put("scores " + text, scores(reader, text));
            }
            for (String text : RANKED) {
                answers.put("hits " + text, scores(reader, text).keySet());
                answers.put(
                        "near " + text,
                        reader
                                .nearest(
                                        "v",
                                        new float[] {1, 0, 1, 0.5f},
                                        7,
                                        QueryParser.parse(text, SCHEMA),
                                        Projection.ALL)
                                .stream()
                                .map(MergedCollection::text)
                                .toList());
            }
        }
        return answers;
    }

    /** Scores by BM25, which count words and documents per split. */
    Map<String, Map<PrimaryKey, Float>> rankings() throws IOException {
        Map<String, Map<PrimaryKey, Float>> rankings = new TreeMap<>();
        try (CollectionReader reader = CollectionReader.open(handle)) {
            for (String text : RANKED) {
                rankings.put(text, scores(reader, text));
            }
        }
        return rankings;
    }

    private static Map<PrimaryKey, Float> scores(CollectionReader reader, String text)
            throws IOException {
        return reader.search(QueryParser.parse(text, SCHEMA), ALL, Projection.ALL).stream()
                .collect(
                        Collectors.toMap(
                                result -> result.row().key(),
                                SearchResult::score,
                                Math::max,
                                TreeMap::new));
    }

    private static String text(ScoredRow hit) {
        return hit.row().key() + " " + hit.row().rowId() + " " + hit.distance();
    }

    @Override
    public void close() throws IOException {
        try (warehouse;
                handle) {
            apply.close();
        }
    }
}
