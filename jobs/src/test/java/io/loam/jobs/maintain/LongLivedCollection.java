package io.loam.jobs.maintain;

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
import io.loam.lance.LanceRowStoreProvider;
import io.loam.store.CollectionHandle;
import io.loam.store.UlidFactory;
import io.loam.store.Warehouse;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcReport;
import io.loam.store.gc.WarehouseCollector;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.maintain.RoundReport;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.InMemoryMetastore;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;
import io.loam.tantivy.TantivySplitStoreProvider;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection on Lance and Tantivy that lives by a clock of its own. */
final class LongLivedCollection implements AutoCloseable {
    private static final long START_MS = 1_900_000_000_000L;
    private static final long NANOS_PER_MS = 1_000_000;
    private static final int PARTITIONS = 2;
    private static final int DIM = 8;
    private static final CollectionSchema SCHEMA =
            new CollectionSchema(
                    1,
                    List.of(
                            new Field(
                                    "text",
                                    "text",
                                    new FieldKind.Text("standard", true),
                                    true,
                                    false,
                                    false),
                            new Field("n", "n", new FieldKind.I64(), true, true, false)),
                    List.of(
                            new Vector(
                                    "v",
                                    DIM,
                                    Distance.COSINE,
                                    Element.F32,
                                    new VectorIndex.Auto(),
                                    Hnsw.DEFAULT,
                                    null)),
                    List.of(),
                    Dynamic.IGNORE,
                    CollectionSchema.DEFAULT_MAX_FIELDS,
                    Map.of());

    final Warehouse warehouse;
    final CollectionHandle handle;
    final Path work;
    private final TestLog log = new TestLog(PARTITIONS);
    private final AtomicLong clock = new AtomicLong(START_MS);
    private LinkApplyCommitter apply;
    private TestWriter writer;

    LongLivedCollection(Path dir) throws IOException {
        InMemoryMetastore metastore = new InMemoryMetastore(clock::get);
        work = Files.createDirectories(dir.resolve("work"));
        warehouse =
                Warehouse.of(
                        metastore,
                        new ClockedObjects(dir.resolve("warehouse"), clock::get),
                        new LanceRowStoreProvider(),
                        new TantivySplitStoreProvider(),
                        now ->
                                new UlidFactory(
                                        now, () -> clock.get() * NANOS_PER_MS, new SecureRandom()));
        long id = metastore.createCollection("default", "docs", SCHEMA, PARTITIONS, null).id();
        handle = warehouse.open(id);
        restart();
    }

    /** Another job takes over. */
    void restart() throws IOException {
        if (apply != null) {
            apply.close();
        }
        apply = new LinkApplyCommitter(handle, CommitterOptions.of("writer"));
        writer = TestWriter.start(handle, log, work);
    }

    void pass(Duration time) {
        clock.addAndGet(time.toMillis());
    }

    void upsert(long key, Random random) {
        String text = "word" + random.nextInt(50) + " word" + random.nextInt(50);
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = random.nextFloat();
        }
        byte[] json =
                ("{\"text\":\"" + text + "\",\"n\":" + key + "}").getBytes(StandardCharsets.UTF_8);
        log.add(
                new Operation.Upsert(
                        new Document(
                                PrimaryKey.ofU64(key),
                                Json.parseObject(json),
                                Map.of("v", vector),
                                Map.of())));
    }

    void delete(long key) {
        log.add(new Operation.Delete(PrimaryKey.ofU64(key)));
    }

    /** Returns how long the commit itself took, ns. */
    long commit() throws IOException {
        var checkpoint = writer.checkpoint(1);
        long begun = System.nanoTime();
        CommitOutcome outcome = apply.commit(checkpoint, false);
        long took = System.nanoTime() - begun;
        assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
        return took;
    }

    RoundReport maintain(MaintenanceOptions options) throws IOException {
        RoundReport report = new MaintenanceRound(handle, options, work).run();
        assertThat(report.count(RoundReport.Status.PUBLISHED))
                .as(report.toString())
                .isEqualTo(report.tasks().size());
        return report;
    }

    /** Collects until nothing is due; returns how many objects went. */
    int collect(GcOptions options) throws IOException {
        WarehouseCollector collector = new WarehouseCollector(warehouse, options);
        int deleted = 0;
        try (GcLease lease =
                GcLease.acquire(warehouse.metastore(), "collector", GcLease.DEFAULT_TTL_MS)) {
            GcReport report;
            do {
                report = collector.sweep(lease);
                assertThat(report.complete()).as(report.toString()).isTrue();
                deleted += report.deleted();
            } while (report.deleted() > 0);
        }
        return deleted;
    }

    /** Names the live version; returns its documents. */
    long tag(String name) throws IOException {
        long version =
                new Tags(handle)
                        .create(name, new TagTarget.Current(), TagOptions.DEFAULT)
                        .version();
        return new Tags(handle).openVersion(version).liveDocCount();
    }

    void deleteTag(String name) throws IOException {
        new Tags(handle).delete(name);
    }

    /** The documents of a tagged version, all of them read, in rows and by its splits. */
    void requireTagged(String name, long documents) throws IOException {
        try (CollectionReader reader = CollectionReader.openTag(handle, name);
                RowCursor rows = reader.rows().scan(Projection.ALL, 0, 1)) {
            long read = 0;
            for (StoredRow row = rows.next(); row != null; row = rows.next()) {
                read++;
            }
            assertThat(read).isEqualTo(documents);
            assertThat(reader.count(QueryParser.parse("*", SCHEMA))).isEqualTo(documents);
        }
    }

    void verify() throws IOException {
        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
    }

    @Override
    public void close() throws IOException {
        try (warehouse;
                handle) {
            apply.close();
        }
    }
}
