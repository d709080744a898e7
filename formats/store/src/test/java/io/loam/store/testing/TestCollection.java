package io.loam.store.testing;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.UlidFactory;
import io.loam.store.Warehouse;
import io.loam.store.commit.CommitMode;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Metastore;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** A collection of fakes whose object store and metastore can be made to fail. */
public final class TestCollection implements AutoCloseable {
    private static final long NANOS_PER_MS = 1_000_000;

    public final FaultPlan faults = FaultPlan.scripted();
    public final InMemoryObjectStore memory;
    public final TestLog log;

    private final Path dir;
    private final Warehouse warehouse;
    private final CollectionInfo info;

    /** With the real metastore, in SQLite. */
    public TestCollection(Path dir, int partitions) throws IOException {
        this(dir, partitions, schema());
    }

    /** The same with another schema. */
    public TestCollection(Path dir, int partitions, CollectionSchema schema) throws IOException {
        this(
                dir,
                partitions,
                schema,
                JdbcMetastore.open("jdbc:sqlite:" + dir.resolve("metastore.db"), null, null),
                new InMemoryObjectStore(),
                UlidFactory::new);
    }

    /** With everything in memory and by one clock. */
    public static TestCollection inMemory(Path dir, int partitions, LongSupplier clockMs)
            throws IOException {
        return inMemory(dir, partitions, schema(), clockMs);
    }

    /** The same with another schema. */
    public static TestCollection inMemory(
            Path dir, int partitions, CollectionSchema schema, LongSupplier clockMs)
            throws IOException {
        return new TestCollection(
                dir,
                partitions,
                schema,
                new InMemoryMetastore(clockMs),
                new InMemoryObjectStore(clockMs),
                now ->
                        new UlidFactory(
                                now, () -> clockMs.getAsLong() * NANOS_PER_MS, new SecureRandom()));
    }

    private TestCollection(
            Path dir,
            int partitions,
            CollectionSchema schema,
            Metastore metastore,
            InMemoryObjectStore memory,
            LongFunction<UlidFactory> ulids)
            throws IOException {
        this.dir = dir;
        this.memory = memory;
        this.log = new TestLog(partitions);
        info = metastore.createCollection("default", "docs", schema, partitions, null);
        warehouse =
                Warehouse.of(
                        new FailingMetastore(metastore, faults),
                        new FailingObjectStore(memory, faults),
                        FakeRows::new,
                        FakeSplits::new,
                        new FakeHotEngine("fake-1"),
                        ulids);
    }

    /** One indexed number, {@code n}. */
    public static CollectionSchema schema() {
        return schema(1, List.of("n"), List.of());
    }

    /** Indexed numbers and vectors. */
    public static CollectionSchema schema(
            long version, List<String> integers, List<CollectionSchema.Vector> vectors) {
        return schema(version, integers, vectors, Map.of());
    }

    /** The same with annotations. */
    public static CollectionSchema schema(
            long version,
            List<String> integers,
            List<CollectionSchema.Vector> vectors,
            Map<String, String> annotations) {
        return new CollectionSchema(
                version,
                integers.stream()
                        .map(
                                name ->
                                        new CollectionSchema.Field(
                                                name,
                                                name,
                                                new CollectionSchema.FieldKind.I64(),
                                                true,
                                                true,
                                                false))
                        .toList(),
                vectors,
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                annotations);
    }

    public CollectionHandle open() throws IOException {
        return warehouse.open(info.id());
    }

    public Warehouse warehouse() {
        return warehouse;
    }

    public TestWriter writer() throws IOException {
        return TestWriter.start(open(), log, dir);
    }

    /** Writes the log's records as changes without a place. */
    public TestWriter directWriter() throws IOException {
        return TestWriter.start(open(), log, dir, CommitMode.DIRECT);
    }

    public void upsert(long key, String json) {
        log.add(new Operation.Upsert(document(key, json)));
    }

    /** With a vector. */
    public void upsert(long key, String json, String vector, float... value) {
        Document document = document(key, json);
        log.add(
                new Operation.Upsert(
                        new Document(
                                document.key(),
                                document.source(),
                                Map.of(vector, value),
                                Map.of())));
    }

    public void delete(long key) {
        log.add(new Operation.Delete(PrimaryKey.ofU64(key)));
    }

    public static Document document(long key, String json) {
        return new Document(
                PrimaryKey.ofU64(key),
                Json.parseObject(json.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                Map.of());
    }

    /** Against the log. */
    public VerifyReport verify() throws IOException {
        return Verifier.againstLog(open(), log);
    }

    @Override
    public void close() throws IOException {
        warehouse.close();
    }
}
