package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.InMemoryObjectStore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** A collection for harness tests: real metastore and manifests, rows and splits in memory. */
final class TestCollection implements AutoCloseable {
    static final int PARTITIONS = 4;
    private static final Map<String, TestCollection> OPEN = new ConcurrentHashMap<>();

    final Metastore metastore;
    final CollectionInfo info;
    final InMemoryObjectStore memory = new InMemoryObjectStore();
    final MemoryRows rows;
    private final String id;
    private final CollectionHandle handle;
    private ObjectStore objects = memory;

    /** Finds the collection of this JVM again after a trip through serialization. */
    private record Opener(String id) implements CollectionOpener {
        private static final long serialVersionUID = 1L;

        @Override
        public OpenedCollection open() throws IOException {
            return OPEN.get(id).opened();
        }
    }

    TestCollection(Path directory) throws IOException {
        id = directory.toString();
        metastore = JdbcMetastore.open("jdbc:sqlite:" + directory.resolve("m.db"), null, null);
        info = metastore.createCollection("default", "docs", schema(1, "n"), PARTITIONS, null);
        String lance = new CollectionPaths(info.namespaceId(), info.id()).lance();
        rows = new MemoryRows(memory, lance.substring(0, lance.length() - 1));
        handle = warehouse().open(info.id());
        OPEN.put(id, this);
    }

    private Warehouse warehouse() {
        return Warehouse.of(
                new UnclosedMetastore(metastore).metastore(),
                objects,
                (store, path) -> rows,
                (store, path) -> new MemorySplits());
    }

    private OpenedCollection opened() throws IOException {
        Warehouse warehouse = warehouse();
        return new OpenedCollection(warehouse, warehouse.open(info.id()));
    }

    CollectionOpener opener() {
        return new Opener(id);
    }

    CollectionHandle handle() {
        return handle;
    }

    /** Lets operators opened from now on see another store in front of the memory. */
    void wrapObjects(ObjectStore wrapper) {
        objects = wrapper;
    }

    /** Lets operators opened from now on fail to close their store. */
    void failToClose() {
        ObjectStore store = objects;
        objects =
                (ObjectStore)
                        Proxy.newProxyInstance(
                                ObjectStore.class.getClassLoader(),
                                new Class<?>[] {ObjectStore.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("close")) {
                                        throw new IOException("the store does not close");
                                    }
                                    try {
                                        return method.invoke(store, arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
    }

    /** A schema of integer fields. */
    static CollectionSchema schema(long version, String... integers) {
        List<Field> fields = new ArrayList<>();
        for (String name : integers) {
            fields.add(new Field(name, name, new FieldKind.I64(), true, true, false));
        }
        return new CollectionSchema(
                version, fields, List.of(), List.of(), Dynamic.IGNORE, 1000, Map.of());
    }

    static PrimaryKey key(String text) {
        return PrimaryKey.ofString(text);
    }

    static Document document(String key, String json) {
        return new Document(
                key(key),
                Json.parseObject(json.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                Map.of());
    }

    static Operation upsert(String key, String json) {
        return new Operation.Upsert(document(key, json));
    }

    static Operation delete(String key) {
        return new Operation.Delete(key(key));
    }

    static Operation patch(String key, String json) {
        return new Operation.Patch(
                key(key),
                Operation.PatchMode.MERGE_DEEP,
                Json.parseObject(json.getBytes(StandardCharsets.UTF_8)),
                List.of(),
                Map.of(),
                Map.of(),
                null);
    }

    static int partitionOf(Operation operation) {
        return Partitioner.partitionOf(operation.key(), PARTITIONS);
    }

    static CollectionElement op(Operation operation, long offset) {
        return new CollectionElement.Op(
                partitionOf(operation), offset, operation.key(), RecordCodec.encode(operation));
    }

    static CollectionElement change(Operation operation) {
        return new CollectionElement.Change(operation.key(), RecordCodec.encode(operation));
    }

    static LogRecord record(Operation operation, long offset) {
        return new LogRecord(
                partitionOf(operation),
                offset,
                operation.key().canonical(),
                RecordCodec.encode(operation));
    }

    /** What a published version changes: rows by id, or null for a key without a row. */
    record Published(
            String commitId,
            @Nullable Ulid incarnation,
            long checkpoint,
            Map<Integer, Long> applied,
            Map<Long, Document> newRows,
            List<PrimaryKey> deleted) {}

    /** Publishes a version as an apply commit would, without splits. */
    LiveManifest publish(Published published) throws IOException {
        LiveManifest live = handle.live();
        long version = live.version() + 1;
        TreeMap<Long, StoredRow> next =
                new TreeMap<>(rows.versions.getOrDefault(live.version(), new TreeMap<>()));
        List<PkDelta.Entry> delta = new ArrayList<>();
        published
                .newRows()
                .forEach(
                        (rowId, document) -> {
                            next.values().removeIf(row -> row.key().equals(document.key()));
                            next.put(rowId, MemoryRows.row(rowId, document));
                            delta.add(new PkDelta.Entry(document.key(), rowId));
                        });
        for (PrimaryKey key : published.deleted()) {
            next.values().removeIf(row -> row.key().equals(key));
            delta.add(new PkDelta.Entry(key, null));
        }
        rows.versions.put(version, next);
        String deltaPath = handle.paths().pkDelta(version, handle.ulids().next());
        memory.put(deltaPath, PkDeltaCodec.encode(PkDelta.of(delta)));
        long highWater =
                Math.max(live.manifest().rowIdHighWater(), next.isEmpty() ? 0 : next.lastKey() + 1);
        CollectionManifest manifest =
                manifest(live, version, published, deltaPath, next.size(), highWater);
        String path = handle.paths().manifest(version, handle.ulids().next());
        memory.put(path, ManifestCodec.encode(manifest));
        swap(live.version(), path);
        return handle.live();
    }

    private CollectionManifest manifest(
            LiveManifest live,
            long version,
            Published published,
            String deltaPath,
            long rowCount,
            long highWater) {
        Map<Integer, Long> applied = new HashMap<>(live.manifest().applied());
        applied.putAll(published.applied());
        Map<String, String> properties = new HashMap<>();
        properties.put(ManifestProperties.COMMIT_ID, published.commitId());
        properties.put(ManifestProperties.CHECKPOINT, Long.toString(published.checkpoint()));
        if (published.incarnation() != null) {
            String incarnation = published.incarnation().toString();
            properties.put(ManifestProperties.INCARNATION, incarnation);
            properties.put(
                    ManifestProperties.HIGHEST_PREFIX + incarnation,
                    Long.toString(published.checkpoint()));
        }
        return new CollectionManifest(
                version,
                live.version(),
                info.id(),
                1,
                handle.ulids().timeMs(),
                version,
                List.of(),
                List.of(),
                List.of(),
                applied,
                rowCount,
                live.path(),
                CommitKind.LINK_APPLY,
                deltaPath,
                "",
                0,
                0,
                List.of(),
                null,
                "",
                properties,
                highWater);
    }

    private void swap(long expected, String path) throws IOException {
        String leaseKey = handle.paths().leaseKey();
        Lease lease = metastore.acquireLease(leaseKey, "test", 60_000);
        metastore.swapPointer(
                new PointerSwap(
                        info.namespaceId(),
                        handle.paths().pointerKey(),
                        expected,
                        path,
                        leaseKey,
                        lease.epoch(),
                        metastore.clockMs(),
                        600_000));
        metastore.releaseLease(leaseKey, "test", lease.epoch());
    }

    @Override
    public void close() throws Exception {
        OPEN.remove(id);
        handle.close();
        metastore.close();
    }
}
