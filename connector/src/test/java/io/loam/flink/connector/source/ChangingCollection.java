package io.loam.flink.connector.source;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.MaintenanceCommit;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** A collection that a test changes commit by commit, and all that its versions had. */
final class ChangingCollection implements AutoCloseable {
    private static final int KEYS = 30;

    private final Warehouse warehouse;
    private final CollectionHandle handle;
    private final WarehouseCollection opener;
    private final TestLog log = new TestLog(1);
    private final TestWriter writer;
    private final Random random;

    /** Rows of every version from 0, source by key. */
    private final List<Map<String, String>> versions = new ArrayList<>(List.of(Map.of()));

    private int written;

    ChangingCollection(Path directory, long seed) throws IOException {
        WarehouseOptions options = WarehouseOptions.local(directory.resolve("warehouse"));
        warehouse = Warehouse.openOrCreate(options);
        CollectionInfo info =
                warehouse
                        .metastore()
                        .createCollection("default", "docs", SampleSchema.get(), 2, null);
        handle = warehouse.open(info.id());
        opener = new WarehouseCollection(options, info.id());
        writer = TestWriter.start(handle, log, directory.resolve("staged"), CommitMode.DIRECT);
        random = new Random(seed);
    }

    WarehouseCollection opener() {
        return opener;
    }

    CollectionHandle handle() {
        return handle;
    }

    /** Source by key of every version; each is the last of its number. */
    List<Map<String, String>> versions() {
        return versions;
    }

    Map<String, String> newest() {
        return versions.get(versions.size() - 1);
    }

    void upsert(String key) {
        log.add(
                new Operation.Upsert(
                        new Document(
                                PrimaryKey.ofString(key),
                                Json.parseObject(json("n").getBytes(StandardCharsets.UTF_8)),
                                Map.of(),
                                Map.of())));
    }

    private String json(String field) {
        return "{\"" + field + "\":" + ++written + "}";
    }

    private void patch(String key) {
        log.add(
                new Operation.Patch(
                        PrimaryKey.ofString(key),
                        Operation.PatchMode.MERGE_DEEP,
                        Json.parseObject(json("p").getBytes(StandardCharsets.UTF_8)),
                        List.of(),
                        Map.<String, Optional<float[]>>of(),
                        Map.of(),
                        null));
    }

    void delete(String key) {
        log.add(new Operation.Delete(PrimaryKey.ofString(key)));
    }

    /** Some operations in one commit; now and then maintenance instead. */
    void change() throws Exception {
        if (versions.size() > 3 && random.nextInt(5) == 0) {
            maintain();
            return;
        }
        for (int i = 1 + random.nextInt(25); i > 0; i--) {
            String key = "k" + random.nextInt(KEYS);
            switch (random.nextInt(4)) {
                case 0 -> delete(key);
                case 1 -> patch(key);
                default -> upsert(key);
            }
        }
        commit();
    }

    void commit() throws Exception {
        commit(1 + random.nextInt(3));
    }

    void commit(int units) throws Exception {
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(handle, CommitterOptions.of("test"))) {
            committer.commit(writer.checkpoint(units), false);
        }
        record();
    }

    /** One split instead of all, without its deleted documents. */
    private void maintain() throws IOException {
        LiveManifest live = handle.live();
        List<Long> ids = new ArrayList<>();
        read(live.manifest(), row -> ids.add(row.rowId()));
        SplitRef like = live.manifest().splits().get(0);
        SplitRef merged =
                new SplitRef(
                        handle.ulids().next(),
                        ids.size(),
                        0,
                        like.sizeBytes(),
                        like.footerStart(),
                        like.footerEnd(),
                        RowIdRuns.of(ids.stream().mapToLong(Long::longValue).sorted().toArray()),
                        "",
                        like.schemaVersion(),
                        like.createdAtMs(),
                        1,
                        0);
        MaintenanceCommit.publish(
                handle,
                MaintenanceCommit.child(live, List.of(merged), handle.metastore().clockMs()));
        record();
    }

    private void record() throws IOException {
        CollectionManifest manifest = handle.live().manifest();
        if (manifest.version() == versions.size() - 1) {
            return; // nothing had changed
        }
        Map<String, String> rows = new TreeMap<>();
        read(manifest, row -> rows.put(row.key().string(), text(row)));
        versions.add(rows);
    }

    static String text(StoredRow row) {
        return new String(row.source(), StandardCharsets.UTF_8);
    }

    private interface Rows {
        void take(StoredRow row);
    }

    private void read(CollectionManifest manifest, Rows rows) throws IOException {
        try (CollectionReader reader = CollectionReader.open(handle, manifest.version());
                RowCursor cursor = reader.rows().scan(Projection.SOURCES, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                rows.take(row);
            }
        }
    }

    /** What each key was in turn, from a version on; "-" for no row. */
    Map<String, List<String>> courses(int from) {
        Map<String, List<String>> courses = new HashMap<>();
        for (int version = from; version < versions.size(); version++) {
            for (int k = 0; k < KEYS; k++) {
                String key = "k" + k;
                String now = versions.get(version).getOrDefault(key, "-");
                List<String> course = courses.computeIfAbsent(key, any -> new ArrayList<>());
                String last = course.isEmpty() ? null : course.get(course.size() - 1);
                if (last == null || !last.endsWith("=" + now)) {
                    course.add((last == null ? "start" : version) + "=" + now);
                }
            }
        }
        return courses;
    }

    @Override
    public void close() throws IOException {
        handle.close();
        warehouse.close();
    }
}
