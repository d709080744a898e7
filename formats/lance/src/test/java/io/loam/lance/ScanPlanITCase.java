package io.loam.lance;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.read.CollectionReader;
import io.loam.store.scan.ScanPlanner;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lance.Dataset;
import org.lance.ReadOptions;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.ScanOptions;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** A reader that knows nothing but a plan and lance-core reads what our own scan reads. */
class ScanPlanITCase {
    private static final int KEYS = 200;

    @TempDir Path folder;
    private final TestLog log = new TestLog(2);
    private final Random random = new Random(20261130);

    private static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(
                        new CollectionSchema.Vector(
                                "embedding",
                                3,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    private void change(int count) {
        for (int i = 0; i < count; i++) {
            PrimaryKey key = PrimaryKey.ofU64(random.nextInt(KEYS));
            if (random.nextInt(5) == 0) {
                log.add(new Operation.Delete(key));
                continue;
            }
            Map<String, float[]> vectors =
                    random.nextInt(4) == 0
                            ? Map.of()
                            : Map.of(
                                    "embedding",
                                    new float[] {random.nextFloat(), 1, random.nextFloat()});
            log.add(
                    new Operation.Upsert(
                            new Document(
                                    key,
                                    Json.parseObject(
                                            ("{\"n\":" + random.nextInt() + "}")
                                                    .getBytes(StandardCharsets.UTF_8)),
                                    vectors,
                                    Map.of())));
        }
    }

    @Test
    void lanceAloneReadsByThePlan() throws Exception {
        Path work = Files.createDirectories(folder.resolve("work"));
        try (Warehouse warehouse =
                Warehouse.of(
                        JdbcMetastore.open("jdbc:sqlite:" + folder.resolve("m.db"), null, null),
                        LocalObjectStore.open(folder.resolve("ware house")),
                        new LanceRowStoreProvider(),
                        FakeSplits::new)) {
            warehouse.metastore().createCollection("default", "docs", schema(), 2, null);
            try (CollectionHandle handle = warehouse.open("default", "docs")) {
                TestWriter writer = TestWriter.start(handle, log, work);
                for (int commit = 1; commit <= 4; commit++) {
                    change(150);
                    try (LinkApplyCommitter committer =
                            new LinkApplyCommitter(handle, CommitterOptions.of("test"))) {
                        committer.commit(writer.checkpoint(2), false);
                    }
                    if (commit == 2) {
                        new Tags(handle).create("two", TagTarget.current(), TagOptions.DEFAULT);
                    }
                }
                ScanPlanner planner = new ScanPlanner(handle, null);
                requireSame(
                        Json.text(planner.plan(TagTarget.current()).json()),
                        CollectionReader.open(handle));
                requireSame(
                        Json.text(planner.plan(TagTarget.version(1)).json()),
                        CollectionReader.open(handle, 1));
                requireSame(
                        Json.text(planner.planTagged("two").json()),
                        CollectionReader.openTag(handle, "two"));
            }
        }
    }

    private static void requireSame(String plan, CollectionReader own) throws Exception {
        List<String> expected = new ArrayList<>();
        try (own;
                RowCursor rows = own.rows().scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = rows.next(); row != null; row = rows.next()) {
                float[] vector = row.vectors().get("embedding");
                expected.add(
                        line(
                                row.rowId(),
                                row.key().canonical(),
                                row.source(),
                                row.ingestPartition(),
                                row.ingestOffset(),
                                vector == null ? "null" : Arrays.toString(vector)));
            }
        }
        Collections.sort(expected);
        assertThat(OutsideReader.read(plan)).hasSizeGreaterThan(50).isEqualTo(expected);
    }

    private static String line(
            long rowId, byte[] key, byte[] source, long partition, long offset, String vector) {
        return rowId
                + " "
                + HexFormat.of().formatHex(key)
                + " "
                + new String(source, StandardCharsets.UTF_8)
                + " "
                + partition
                + "@"
                + offset
                + " "
                + vector.replace(" ", "");
    }

    /** Nothing of ours but the parser of JSON. */
    private static final class OutsideReader {
        static List<String> read(String text) throws Exception {
            Map<String, JsonValue> plan =
                    Json.parseObject(text.getBytes(StandardCharsets.UTF_8)).members();
            Map<String, JsonValue> lance = ((JsonObject) plan.get("lance")).members();
            List<Integer> fragments = new ArrayList<>();
            for (JsonValue fragment : ((JsonArray) plan.get("fragments")).values()) {
                fragments.add((int) number(((JsonObject) fragment).members().get("id")));
            }
            List<String> columns = new ArrayList<>();
            for (JsonValue column : ((JsonArray) plan.get("columns")).values()) {
                columns.add(string(((JsonObject) column).members().get("name")));
            }
            List<String> lines = new ArrayList<>();
            try (BufferAllocator allocator = new RootAllocator();
                    Dataset dataset =
                            Dataset.open()
                                    .allocator(allocator)
                                    .uri(Path.of(URI.create(string(lance.get("uri")))).toString())
                                    .readOptions(
                                            new ReadOptions.Builder()
                                                    .setVersion(number(lance.get("version")))
                                                    .build())
                                    .build();
                    LanceScanner scanner =
                            dataset.newScan(
                                    new ScanOptions.Builder()
                                            .columns(columns)
                                            .fragmentIds(fragments)
                                            .withRowId(true)
                                            .build());
                    ArrowReader batches = scanner.scanBatches()) {
                assertThat(dataset.countRows()).isEqualTo(number(plan.get("live_rows")));
                while (batches.loadNextBatch()) {
                    VectorSchemaRoot root = batches.getVectorSchemaRoot();
                    for (int i = 0; i < root.getRowCount(); i++) {
                        lines.add(line(root, i));
                    }
                }
            }
            Collections.sort(lines);
            return lines;
        }

        private static String line(VectorSchemaRoot root, int row) {
            Object vector = root.getVector("_vector_0").getObject(row);
            return ScanPlanITCase.line(
                    ((Number) root.getVector("_rowid").getObject(row)).longValue(),
                    (byte[]) root.getVector("_pk").getObject(row),
                    (byte[]) root.getVector("_source").getObject(row),
                    ((Number) root.getVector("_ingest_partition").getObject(row)).longValue(),
                    ((Number) root.getVector("_ingest_offset").getObject(row)).longValue(),
                    String.valueOf(vector));
        }

        private static long number(JsonValue value) {
            return ((JsonInteger) value).value();
        }

        private static String string(JsonValue value) {
            return ((JsonString) value).value();
        }
    }
}
