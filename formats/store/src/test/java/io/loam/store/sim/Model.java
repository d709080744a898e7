package io.loam.store.sim;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Operation;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestLog;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The log, and what it folds to in plain Java: documents are {@code {"n": n, "m": m}} and kept as
 * text.
 */
final class Model {
    private static final int KEYS = 20;

    /** What a record means, in our own words. */
    private record Meaning(Kind kind, long key, int value) {}

    private enum Kind {
        UPSERT,
        PATCH,
        DELETE,
        DEAD
    }

    private record Doc(int n, @Nullable Integer m) {
        @Override
        public String toString() {
            return "{\"n\":" + n + (m == null ? "" : ",\"m\":" + m) + "}";
        }
    }

    final TestLog log;
    private final List<List<Meaning>> meanings = new ArrayList<>();
    private final Map<Long, Doc> documents = new TreeMap<>();
    private final Map<Integer, Long> applied = new TreeMap<>();
    private long deadLetters;

    Model(int partitions) {
        log = new TestLog(partitions);
        for (int p = 0; p < partitions; p++) {
            meanings.add(new ArrayList<>());
            applied.put(p, 0L);
        }
    }

    /** Appends some records to the log. */
    void produce(Random random) {
        for (int i = random.nextInt(8); i >= 0; i--) {
            long key = random.nextInt(KEYS);
            int value = random.nextInt(1000);
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                    log.add(new Operation.Delete(PrimaryKey.ofU64(key)));
                    mean(key, new Meaning(Kind.DELETE, key, 0));
                }
                case 2 -> {
                    int partition = random.nextInt(log.partitions());
                    log.add(partition, new byte[] {7}, new byte[] {1});
                    meanings.get(partition).add(new Meaning(Kind.DEAD, 0, 0));
                }
                case 3 -> {
                    upsert(key, "{\"n\":\"no number\"}");
                    mean(key, new Meaning(Kind.DEAD, key, 0));
                }
                case 4 -> {
                    log.add(patch(key, value));
                    mean(key, new Meaning(Kind.PATCH, key, value));
                }
                default -> {
                    upsert(key, "{\"n\":" + value + "}");
                    mean(key, new Meaning(Kind.UPSERT, key, value));
                }
            }
        }
    }

    private void upsert(long key, String json) {
        log.add(new Operation.Upsert(TestCollection.document(key, json)));
    }

    private static Operation patch(long key, int m) {
        return new Operation.Patch(
                PrimaryKey.ofU64(key),
                Operation.PatchMode.MERGE_DEEP,
                Json.parseObject(("{\"m\":" + m + "}").getBytes(StandardCharsets.UTF_8)),
                List.of(),
                Map.of(),
                Map.of(),
                null);
    }

    /** The record went to the partition that has one record more than meanings. */
    private void mean(long key, Meaning meaning) {
        for (int p = 0; p < meanings.size(); p++) {
            if (log.from(p, 0).size() > meanings.get(p).size()) {
                meanings.get(p).add(meaning);
                return;
            }
        }
        throw new IllegalStateException("no record was added for key " + key);
    }

    long end(int partition) {
        return meanings.get(partition).size();
    }

    /** Folds up to these offsets, none of which may go back. */
    void advance(Map<Integer, Long> to) {
        for (int p = 0; p < meanings.size(); p++) {
            long from = applied.get(p);
            long end = to.getOrDefault(p, 0L);
            Violation.require(end >= from, "applied of partition " + p + " went back to " + end);
            Violation.require(end <= end(p), "applied of partition " + p + " is beyond the log");
            meanings.get(p).subList((int) from, (int) end).forEach(this::fold);
            applied.put(p, end);
        }
    }

    private void fold(Meaning meaning) {
        switch (meaning.kind()) {
            case UPSERT -> documents.put(meaning.key(), new Doc(meaning.value(), null));
            case PATCH ->
                    documents.computeIfPresent(
                            meaning.key(), (key, doc) -> new Doc(doc.n(), meaning.value()));
            case DELETE -> documents.remove(meaning.key());
            case DEAD -> deadLetters++;
        }
    }

    /** Key to printed document. */
    Map<String, String> documents() {
        Map<String, String> printed = new TreeMap<>();
        documents.forEach(
                (key, doc) -> printed.put(PrimaryKey.ofU64(key).toString(), doc.toString()));
        return printed;
    }

    long deadLetters() {
        return deadLetters;
    }
}
