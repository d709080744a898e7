package io.loam.jobs.cli;

import io.loam.codec.testing.Campaign;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.s3.testing.S3Server;
import io.loam.s3.testing.S3Servers;
import io.loam.store.testing.TestPostgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An erasure with objects in S3 and the metastore in PostgreSQL: rows, splits, indexes, a hot
 * graph, a tagged version and the stream.
 */
class S3ErasureITCase {
    private static final int DOCUMENTS = 400;
    private static final int DIM = 8;
    private static final String NAME = "margarethe-of-the-hill";
    private static final String OLD_TEXT = "whatever Margarethe said in confidence";
    private static final String NEW_TEXT = "the second confession of Margarethe";

    @TempDir Path folder;
    private final Random random = new Random(Campaign.seed());
    private final List<float[]> erased = new ArrayList<>();
    private S3Server server;
    private String bucket;
    private String metastore;
    private String brokers;

    @Test
    void nothingIsLeftInTheBucket() throws Exception {
        server = S3Servers.s3Proxy();
        bucket = S3Servers.newBucket(server);
        try (EmbeddedPostgres database = TestPostgres.builder().start();
                BrokerProcess broker = BrokerProcess.open(folder.resolve("kafka"))) {
            metastore = database.getJdbcUrl("postgres", "postgres");
            brokers = broker.bootstrapServers();
            fill();
            String id = request();
            requireThere(id);
            LoamRun run = erase("--resume", id, "--key", NAME).ok();
            assertThat(run.out())
                    .contains("tag first names a copy")
                    .contains("the stream is trimmed by " + (DOCUMENTS + 3) + " records")
                    .containsPattern("looked for 1 keys and \\d+ byte sequences in \\d+ objects")
                    .contains(" bytes: 0 left");
            assertThat(erase("--verify", id).ok().out()).contains(": 0 left");
            assertThat(erase("--verify", id, "--key", NAME).ok().out()).contains(": 0 left");
            assertThat(objectsWithSequences()).isEmpty();
            assertThat(server.objects(bucket).keySet()).noneMatch(path -> path.contains("/hot/"));
            goesOn();
        }
    }

    private void fill() throws Exception {
        Path schema =
                Files.writeString(
                        folder.resolve("schema.json"),
                        "{\"fields\": [{\"name\": \"title\", \"kind\": {\"type\": \"text\"}}], \"vectors\":"
                                + " [{\"name\": \"v\", \"dim\": 8, \"distance\": \"cosine\","
                                + " \"index\": \"auto\"}], \"annotations\": {\"loams.hot\":"
                                + " \"[\\\"v\\\"]\"}}");
        loam("create", "docs", "--schema", schema.toString(), "--partitions", "1").ok();
        List<String> lines =
                IntStream.range(0, DOCUMENTS - 1)
                        .mapToObj(i -> document(Integer.toString(i), "number " + i, vector()))
                        .collect(Collectors.toCollection(ArrayList::new));
        lines.add(margarethe(OLD_TEXT));
        apply(lines);
        loam("tag", "create", "docs", "first").ok();
        String built =
                loam(
                                "maintain",
                                "docs",
                                "--once",
                                "--index",
                                "first-rows=300",
                                "--index",
                                "key-rows=300")
                        .ok()
                        .out();
        assertThat(built)
                .contains("in vec_0 (IVF_PQ)")
                .contains("in pk_btree (BTREE)")
                .contains("hot graph for ");
        apply(List.of(margarethe(NEW_TEXT), "{\"delete\":7}"));
    }

    private String request() throws Exception {
        LoamRun asked = erase("--key", NAME);
        assertThat(asked.failure()).contains("are not applied yet");
        apply(List.of());
        return asked.out().substring("erasure ".length(), "erasure ".length() + 26);
    }

    private void requireThere(String id) throws Exception {
        LoamRun before = erase("--verify", id, "--key", NAME);
        assertThat(before.code()).isEqualTo(Loam.VIOLATIONS);
        assertThat(before.out())
                .containsPattern("left: .*/lance/data/.*: an erased key\\R")
                .containsPattern("left: .*/lance/data/.*: a sequence of ")
                .containsPattern("left: .*/lance/_indices/.*: an erased key\\R")
                .containsPattern("left: .*/text/splits/.*: an erased key\\R")
                .containsPattern("left: .*/pkdelta/.*: an erased key\\R");
        assertThat(objectsWithSequences()).anyMatch(path -> path.contains("/lance/data/"));
        assertThat(server.objects(bucket).keySet()).anyMatch(path -> path.contains("/hot/hnsw/"));
    }

    private void goesOn() throws Exception {
        assertThat(loam("get", "docs", NAME).code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("get", "docs", NAME, "--tag", "first").code()).isEqualTo(Loam.NOT_FOUND);
        assertThat(loam("get", "docs", "7", "--tag", "first").ok().out()).contains("number 7");
        String query = text(vector());
        for (String tag : List.of("", "first")) {
            List<String> words = new ArrayList<>(List.of("search", "docs", "--vector", "v"));
            words.addAll(List.of("--values", query, "-k", "5", "--json"));
            words.addAll(tag.isEmpty() ? List.of() : List.of("--tag", tag));
            assertThat(loam(words.toArray(String[]::new)).ok().json()).hasSize(5);
        }
        apply(List.of(document("1000", "one more", vector())));
        assertThat(loam("verify", "docs", "--brokers", brokers).out())
                .contains((DOCUMENTS - 1) + " keys, 0 violations");
    }

    private String margarethe(String title) {
        float[] vector = vector();
        erased.add(vector);
        return document('"' + NAME + '"', title, vector);
    }

    private static String document(String key, String title, float[] vector) {
        return "{\"_id\":"
                + key
                + ",\"title\":\""
                + title
                + "\",\"_vectors\":{\"v\":["
                + text(vector)
                + "]}}";
    }

    private float[] vector() {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = (float) random.nextGaussian();
        }
        return vector;
    }

    private static String text(float[] vector) {
        return IntStream.range(0, vector.length)
                .mapToObj(i -> Float.toString(vector[i]))
                .collect(Collectors.joining(","));
    }

    /** Read by a client that knows nothing of formats. */
    private List<String> objectsWithSequences() {
        List<String> sequences = new ArrayList<>(List.of(OLD_TEXT, NEW_TEXT, NAME, "argarethe"));
        for (float[] vector : erased) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(DIM * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(vector);
            sequences.add(new String(bytes.array(), StandardCharsets.ISO_8859_1));
        }
        return server.objects(bucket).entrySet().stream()
                .filter(
                        object -> {
                            String bytes =
                                    new String(object.getValue(), StandardCharsets.ISO_8859_1);
                            return sequences.stream().anyMatch(bytes::contains);
                        })
                .map(Map.Entry::getKey)
                .toList();
    }

    private void apply(List<String> lines) throws Exception {
        if (!lines.isEmpty()) {
            Path file = Files.write(folder.resolve("lines.jsonl"), lines);
            loam("produce", "docs", file.toString(), "--brokers", brokers).ok();
        }
        loam("apply", "docs", "--brokers", brokers).ok();
    }

    private LoamRun erase(String... more) throws Exception {
        Path values = Files.write(folder.resolve("values"), List.of(OLD_TEXT, NEW_TEXT));
        List<String> words = new ArrayList<>(List.of("erase", "docs", "--brokers", brokers));
        words.addAll(List.of("--wait", "0s", "--grace", "0s"));
        words.addAll(List.of("--values-file", values.toString()));
        words.addAll(List.of("--secret", folder.resolve("secret").toString()));
        words.addAll(Arrays.asList(more));
        return loam(words.toArray(String[]::new));
    }

    private LoamRun loam(String... arguments) {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--warehouse", "s3a://" + bucket + "/w", "--metastore", metastore));
        server.properties()
                .forEach((name, value) -> words.addAll(List.of("--s3", name + "=" + value)));
        return LoamRun.of(words.toArray(String[]::new));
    }
}
