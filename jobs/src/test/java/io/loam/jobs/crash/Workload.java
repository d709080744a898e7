package io.loam.jobs.crash;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.RecordCodec;
import io.loam.jobs.cli.OperationProducer;
import io.loam.store.CollectionHandle;
import io.loam.store.metastore.CollectionInfo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes random operations on a few hundred keys, some of them records that must become dead
 * letters, as fast as they are applied. The seed decides which; how many there are depends on how
 * long it may run.
 */
final class Workload implements AutoCloseable {
    private static final int KEYS = 400;
    private static final int BURST = 10;
    private static final long PAUSE_MS = 50;
    private static final long MOST_NOT_APPLIED = 150;

    private final CollectionHandle handle;
    private final CollectionInfo collection;
    private final OperationProducer producer;
    private final Random random;
    private final Thread thread = new Thread(this::run, "workload");
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean stopped;
    private volatile RuntimeException failure;
    private long applied;

    /** Begins paused. */
    Workload(String brokers, CollectionHandle handle, long seed) {
        this.handle = handle;
        this.collection = handle.info();
        this.producer = new OperationProducer(brokers, collection);
        this.random = new Random(seed);
        writing.lock();
        thread.setDaemon(true);
        thread.start();
    }

    long sent() {
        return producer.sent();
    }

    void resume() {
        requireAlive();
        writing.unlock();
    }

    /** Returns once everything sent is in the log. Call it from the thread that resumed. */
    void pause() {
        writing.lock();
        requireAlive();
    }

    private void requireAlive() {
        if (failure != null) {
            throw failure;
        }
    }

    private void run() {
        try {
            while (!stopped) {
                if (producer.sent() - applied() < MOST_NOT_APPLIED) {
                    burst();
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
        } catch (RuntimeException e) {
            failure = e;
        } catch (InterruptedException e) {
            failure = new IllegalStateException(e);
        }
    }

    private void burst() {
        writing.lock();
        try {
            for (int i = 0; i < BURST && !stopped; i++) {
                send();
            }
            producer.flush();
        } finally {
            writing.unlock();
        }
    }

    private long applied() {
        try {
            applied =
                    handle.live().manifest().applied().values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
        } catch (IOException e) {
            return applied; // the database was killed
        }
        return applied;
    }

    private void send() {
        PrimaryKey key = PrimaryKey.ofString("k" + random.nextInt(KEYS));
        int kind = random.nextInt(100);
        if (kind < 55) {
            producer.send(upsert(key, json()));
        } else if (kind < 82) {
            producer.send(patch(key));
        } else if (kind < 95) {
            producer.send(new Operation.Delete(key));
        } else {
            sendBad(key, kind);
        }
    }

    private void sendBad(PrimaryKey key, int kind) {
        int owner = Partitioner.partitionOf(key, collection.partitions());
        if (kind < 97) {
            producer.sendRaw(owner, key.canonical(), new byte[] {99, 1, 2});
        } else if (kind < 98) {
            int other = (owner + 1) % collection.partitions();
            producer.sendRaw(other, key.canonical(), RecordCodec.encode(upsert(key, json())));
        } else {
            producer.send(upsert(key, parse("{\"n\":\"no number\"}")));
        }
    }

    private Operation upsert(PrimaryKey key, JsonObject source) {
        Map<String, float[]> vectors = new HashMap<>();
        if (random.nextBoolean()) {
            vectors.put("v", vector());
        }
        return new Operation.Upsert(new Document(key, source, vectors, Map.of()));
    }

    private Operation patch(PrimaryKey key) {
        Map<String, Optional<float[]>> vectors = new HashMap<>();
        if (random.nextInt(3) == 0) {
            vectors.put("v", random.nextBoolean() ? Optional.of(vector()) : Optional.empty());
        }
        return new Operation.Patch(
                key,
                PatchMode.MERGE_DEEP,
                parse("{\"n\":" + random.nextInt(100) + ",\"seen\":true}"),
                random.nextInt(4) == 0 ? List.of("title") : List.of(),
                vectors,
                Map.of(),
                random.nextInt(4) == 0 ? new Document(key, json(), Map.of(), Map.of()) : null);
    }

    private JsonObject json() {
        return parse(
                "{\"title\":\"word"
                        + random.nextInt(50)
                        + " word"
                        + random.nextInt(50)
                        + "\",\"n\":"
                        + random.nextInt(100)
                        + "}");
    }

    private static JsonObject parse(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private float[] vector() {
        return new float[] {random.nextFloat(), random.nextFloat(), 1, random.nextFloat()};
    }

    @Override
    public void close() {
        stopped = true;
        if (writing.isHeldByCurrentThread()) {
            writing.unlock();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}
