package io.loam.flink.operators;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.RetryingMetastore;
import io.loam.store.object.RetryingObjectStore;
import io.loam.store.retry.Retry;
import io.loam.store.retry.RetryOptions;
import io.loam.store.testing.FailingMetastore;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FakeRows;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.InMemoryMetastore;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.TestLog;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A collection whose stores fail as told, under a clock that moves only when somebody waits, and
 * the log of it. Stores are wrapped as a real warehouse wraps them: faults below, retries above.
 */
final class FaultWorld implements AutoCloseable {
    static final int PARTITIONS = 2;
    private static final int STEPS = 12;
    private static final int KEYS = 7;
    private static final long START_MS = 1_800_000_000_000L;
    private static final Map<Long, FaultWorld> OPEN = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong();

    /** The same log for all: what is new at each step. */
    static final TestLog LOG = new TestLog(PARTITIONS);

    private static final List<long[]> ENDS = new ArrayList<>();

    final FaultPlan faults;
    final AtomicLong clockMs;
    private final InMemoryObjectStore memory;
    private final InMemoryMetastore metastore;
    private final Warehouse warehouse;
    private final long id = NEXT.incrementAndGet();
    private final long collectionId;

    static {
        for (int step = 0; step < STEPS; step++) {
            write(step);
            long[] ends = new long[PARTITIONS];
            for (int partition = 0; partition < PARTITIONS; partition++) {
                ends[partition] = LOG.from(partition, 0).size();
            }
            ENDS.add(ends);
        }
    }

    /** Every step inserts, replaces, patches and deletes, and brings records nobody can apply. */
    private static void write(int step) {
        for (int i = 0; i < 3; i++) {
            LOG.add(new Operation.Upsert(document(step * 3L + i, "{\"n\":" + step + "}")));
        }
        long old = Math.max(0, step * 3L - KEYS);
        LOG.add(new Operation.Upsert(document(old, "{\"n\":" + -step + "}")));
        LOG.add(patch(old + 1, step));
        LOG.add(patch(step * 3L + 1, step));
        LOG.add(patch(step * 3L - 1, step));
        if (step % 4 != 0) {
            LOG.add(new Operation.Delete(PrimaryKey.ofU64(step * 3L - 2)));
        }
        LOG.add(new Operation.Upsert(document(1000 + step, "{\"n\":\"no number\"}")));
        LOG.add(step % PARTITIONS, new byte[] {7}, new byte[] {1});
    }

    private static Document document(long key, String json) {
        return new Document(PrimaryKey.ofU64(key), json(json), Map.of(), Map.of());
    }

    private static JsonObject json(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Operation patch(long key, int m) {
        return new Operation.Patch(
                PrimaryKey.ofU64(key),
                Operation.PatchMode.MERGE_DEEP,
                json("{\"m\":" + m + "}"),
                List.of(),
                Map.of(),
                Map.of(),
                null);
    }

    /** Where the partitions end at a step. */
    static long end(int step, int partition) {
        return ENDS.get(step)[partition];
    }

    /** An empty collection. */
    static FaultWorld empty() throws IOException {
        AtomicLong clock = new AtomicLong(START_MS);
        InMemoryMetastore metastore = new InMemoryMetastore(clock::get);
        CollectionInfo info =
                metastore.createCollection(
                        "default", "docs", TestCollection.schema(1, "n"), PARTITIONS, null);
        return new FaultWorld(new InMemoryObjectStore(), metastore, clock, info.id(), 0);
    }

    /** The same collection again, with stores and faults of its own. */
    FaultWorld copy(long seed) {
        AtomicLong clock = new AtomicLong(clockMs.get());
        return new FaultWorld(memory.copy(), metastore.copy(clock::get), clock, collectionId, seed);
    }

    private FaultWorld(
            InMemoryObjectStore memory,
            InMemoryMetastore metastore,
            AtomicLong clockMs,
            long collectionId,
            long seed) {
        this.memory = memory;
        this.metastore = metastore;
        this.clockMs = clockMs;
        this.collectionId = collectionId;
        this.faults = FaultPlan.random(seed, 0);
        Retry retry = new Retry(RetryOptions.DEFAULT, this::pause, () -> 0);
        FailingObjectStore rows = new FailingObjectStore(memory, faults, "rows ");
        this.warehouse =
                Warehouse.of(
                        new RetryingMetastore(new FailingMetastore(metastore, faults), retry),
                        new RetryingObjectStore(new FailingObjectStore(memory, faults), retry),
                        (objects, path) -> new FakeRows(rows, path),
                        FakeSplits::new);
        OPEN.put(id, this);
    }

    /** Every wait of a retry, a swap or a lease passes in no time. */
    void pause(long ms) {
        clockMs.addAndGet(ms);
    }

    /** Finds this world again after a trip through serialization. */
    private record Opener(long id) implements CollectionOpener {
        private static final long serialVersionUID = 1L;

        @Override
        public OpenedCollection open() throws IOException {
            FaultWorld world = OPEN.get(id);
            return new OpenedCollection(world.warehouse, world.warehouse.open(world.collectionId));
        }
    }

    CollectionOpener opener() {
        return new Opener(id);
    }

    CollectionHandle handle() throws IOException {
        return warehouse.open(collectionId);
    }

    VerifyReport verify() throws IOException {
        try (CollectionHandle handle = handle()) {
            return Verifier.againstLog(handle, LOG);
        }
    }

    @Override
    public void close() {
        OPEN.remove(id);
    }
}
