package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random operations on a few keys, so that most of them change what others made. */
final class Workload {
    private static final int KEYS = 700;

    private final Random random;

    Workload() {
        long seed = Long.getLong("loam.seed", 20_261_130L);
        System.out.println("workload: -Dloam.seed=" + seed);
        this.random = new Random(seed);
    }

    /** A document for each of the first keys. */
    Stream<Operation> upserts(int documents) {
        return IntStream.range(0, documents).mapToObj(i -> upsert("k" + i));
    }

    /** Upserts, deletes and patches of any keys. */
    Stream<Operation> changes(int operations) {
        return IntStream.range(0, operations).mapToObj(i -> change());
    }

    private Operation change() {
        String key = "k" + random.nextInt(KEYS);
        int kind = random.nextInt(10);
        if (kind < 4) {
            return upsert(key);
        }
        return kind < 6 ? new Operation.Delete(PrimaryKey.ofString(key)) : patch(key);
    }

    Operation upsert(String key) {
        Map<String, float[]> vectors = new HashMap<>();
        if (random.nextBoolean()) {
            vectors.put("v", vector());
        }
        return new Operation.Upsert(
                new Document(
                        PrimaryKey.ofString(key),
                        json("{\"title\":\"the " + key + "\",\"n\":" + random.nextInt(100) + "}"),
                        vectors,
                        Map.of()));
    }

    private Operation patch(String key) {
        Map<String, Optional<float[]>> vectors = new HashMap<>();
        if (random.nextInt(3) == 0) {
            vectors.put("v", random.nextBoolean() ? Optional.of(vector()) : Optional.empty());
        }
        return new Operation.Patch(
                PrimaryKey.ofString(key),
                PatchMode.MERGE_DEEP,
                json("{\"n\":" + random.nextInt(100) + ",\"seen\":true}"),
                random.nextBoolean() ? List.of("title") : List.of(),
                vectors,
                Map.of(),
                null);
    }

    private float[] vector() {
        return new float[] {random.nextFloat(), random.nextFloat(), 1, random.nextFloat()};
    }

    private static JsonObject json(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }
}
