package io.loam.lance;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceLease;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Metastore;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.read.ChangeReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Many small commits with rounds of compaction between them, on Lance's own library. */
class CompactionRoundsITCase {
    private static final int COMMITS = 60;
    private static final int KEYS = 150;
    private static final int DIM = 4;

    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("compactor/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(new CompactionPolicy(true, 200, 4, 100_000, 8));

    @TempDir Path dir;

    @Test
    void nothingButTheFragmentsChanges() throws IOException {
        Random random = new Random(20261130);
        CollectionSchema schema = schema();
        try (Metastore metastore =
                        JdbcMetastore.open("jdbc:sqlite:" + dir.resolve("m.db"), null, null);
                Warehouse warehouse =
                        Warehouse.of(
                                metastore,
                                LocalObjectStore.open(dir.resolve("warehouse")),
                                LanceRowStore::new,
                                FakeSplits::new)) {
            CollectionInfo info = metastore.createCollection("default", "docs", schema, 2, null);
            TestLog log = new TestLog(2);
            Path work = Files.createDirectories(dir.resolve("work"));
            int compactions = 0;
            try (CollectionHandle handle = warehouse.open(info.id());
                    LinkApplyCommitter apply =
                            new LinkApplyCommitter(handle, CommitterOptions.of("writer"))) {
                TestWriter writer = TestWriter.start(handle, log, dir);
                CollectionManifest pinned = null;
                Map<Long, String> pinnedRows = Map.of();
                for (int commit = 1; commit <= COMMITS; commit++) {
                    change(log, random, commit);
                    apply.commit(writer.checkpoint(1), false);
                    if (commit == COMMITS / 2) {
                        pinned = handle.live().manifest();
                        pinnedRows = rowsByFile(handle, pinned);
                    }
                    if (commit % 5 == 0) {
                        change(log, random, commit);
                        // Deletes what is being compacted.
                        compactions += round(handle, work, apply, writer);
                        requireIndexed(handle, writer);
                        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
                    }
                }
                assertThat(rowsByFile(handle, pinned)).isEqualTo(pinnedRows);
                assertThat(handle.rows().files(handle.live().manifest())).hasSizeLessThan(12);
                assertThat(Files.list(work)).isEmpty();
            }
            assertThat(compactions).isGreaterThan(6);
        }
    }

    private static void change(TestLog log, Random random, int commit) {
        for (int i = 0; i < 8; i++) {
            int key = random.nextInt(KEYS);
            if (random.nextInt(4) == 0) {
                log.add(new Operation.Delete(PrimaryKey.ofU64(key)));
            } else {
                log.add(new Operation.Upsert(document(random, key, commit)));
            }
        }
    }

    /** Returns how many compactions were published. */
    private int round(
            CollectionHandle handle, Path work, LinkApplyCommitter apply, TestWriter writer)
            throws IOException {
        List<FinishedWork> done = new ArrayList<>();
        for (MaintenanceTask task : new MaintenancePlanner(OPTIONS).plan(handle)) {
            done.add(new CollectionTaskRunner(handle, OPTIONS, work).run(task));
        }
        apply.commit(writer.checkpoint(1), false);
        CollectionManifest before = handle.live().manifest();
        Map<Long, String> rows = rowsByFile(handle, before);
        float[] query = {0.3f, 0.1f, 0.9f, 0.5f};
        List<Long> nearest = nearest(handle, before, query);
        String key = TaskKeys.lease(TaskKeys.compact(handle.info().id()));
        try (MaintenanceLease lease =
                        MaintenanceLease.acquire(handle.metastore(), key, OPTIONS).orElseThrow();
                MaintenanceCommitter committer = new MaintenanceCommitter(handle, OPTIONS, lease)) {
            MaintenanceOutcome outcome = committer.publish(done);
            assertThat(outcome.isComplete()).as("%s", outcome.works()).isTrue();
        }
        CollectionManifest after = handle.live().manifest();
        assertThat(after.version()).isEqualTo(before.version() + (done.isEmpty() ? 0 : 1));
        assertThat(rowsByFile(handle, after)).isEqualTo(rows);
        assertThat(taken(handle, after, rows)).isEqualTo(rows);
        assertThat(nearest(handle, after, query)).isEqualTo(nearest);
        try (ChangeReader changes =
                ChangeReader.open(handle, before, after, Projection.ALL, 0, 1)) {
            assertThat(changes.next()).isNull();
        }
        return done.size();
    }

    /** The writer's index, made before all compactions, names the rows of now. */
    private static void requireIndexed(CollectionHandle handle, TestWriter writer)
            throws IOException {
        Map<PrimaryKey, Long> index = new HashMap<>();
        try (RowSnapshot rows = open(handle, handle.live().manifest());
                RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                index.put(row.key(), row.rowId());
            }
        }
        assertThat(writer.index()).isEqualTo(index);
    }

    private static RowSnapshot open(CollectionHandle handle, CollectionManifest manifest)
            throws IOException {
        return handle.rows().open(manifest, handle.schema());
    }

    /** Every row of a version, read as a source does: one data file after the other. */
    private static Map<Long, String> rowsByFile(
            CollectionHandle handle, CollectionManifest manifest) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        try (RowSnapshot snapshot = open(handle, manifest)) {
            for (int file : handle.rows().files(manifest)) {
                try (RowCursor cursor = snapshot.scanFile(Projection.ALL, file)) {
                    for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                        assertThat(rows.put(row.rowId(), text(row))).isNull();
                    }
                }
            }
            assertThat(snapshot.countRows()).isEqualTo(rows.size());
        }
        assertThat(rows).hasSize((int) manifest.liveDocCount());
        return rows;
    }

    private static Map<Long, String> taken(
            CollectionHandle handle, CollectionManifest manifest, Map<Long, String> expected)
            throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        long[] ids = expected.keySet().stream().mapToLong(Long::longValue).toArray();
        try (RowSnapshot snapshot = open(handle, manifest)) {
            snapshot.takeAll(ids, Projection.ALL).forEach(row -> rows.put(row.rowId(), text(row)));
        }
        return rows;
    }

    private static String text(StoredRow row) {
        float[] vector = row.vectors().get("v");
        return row.key()
                + " "
                + new String(row.source(), StandardCharsets.UTF_8)
                + " "
                + row.ingestPartition()
                + "/"
                + row.ingestOffset()
                + " "
                + (vector == null ? "none" : Arrays.toString(vector));
    }

    private static List<Long> nearest(
            CollectionHandle handle, CollectionManifest manifest, float[] query)
            throws IOException {
        try (RowSnapshot rows = open(handle, manifest)) {
            return rows.nearest("v", query, 10, null, Projection.KEYS).stream()
                    .map(ScoredRow::row)
                    .map(StoredRow::rowId)
                    .toList();
        }
    }

    private static Document document(Random random, int key, int commit) {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = random.nextFloat();
        }
        return new Document(
                PrimaryKey.ofU64(key),
                Json.parseObject(("{\"n\":" + commit + "}").getBytes(StandardCharsets.UTF_8)),
                random.nextInt(5) == 0 ? Map.of() : Map.of("v", vector),
                Map.of());
    }

    private static CollectionSchema schema() {
        CollectionSchema.Field number =
                new CollectionSchema.Field(
                        "n", "n", new CollectionSchema.FieldKind.I64(), true, true, false);
        Vector vector =
                new Vector(
                        "v",
                        DIM,
                        Distance.EUCLID,
                        Element.F32,
                        new VectorIndex.Auto(),
                        Hnsw.DEFAULT,
                        null);
        return new CollectionSchema(
                1,
                List.of(number),
                List.of(vector),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }
}
