package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.store.chain.ManifestChain;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** From records on a topic to verified collections, through failures and hostile records. */
class PipelineITCase extends PipelineTestBase {
    @Test
    void survivesAFailure() throws Exception {
        send(workload.upserts(600));
        FailOnce.arm();
        JobClient job = start(job());
        awaitApplied();
        FailOnce.awaitDue();
        apply(workload.changes(600)); // the failure comes with one of these
        apply(workload.changes(300));
        assertThat(FailOnce.failures()).isEqualTo(1);
        stopAndCheck(job, "failover of a running job");
    }

    @Test
    void hostileRecordsBecomeDeadLetters() throws Exception {
        Map<String, String> expected = sendHostileRecords();
        send(workload.upserts(20));
        awaitEnd(start(job().bounded()));
        Map<String, String> found = new TreeMap<>();
        for (DeadLetter letter : deadLetters()) {
            String reason = letter.reason();
            String prefix = reason.substring(0, reason.indexOf(':'));
            found.put(
                    letter.partition() + "@" + letter.offset(),
                    prefix.equals("undecodable") ? prefix : reason);
        }
        expected.forEach(
                (place, reason) -> assertThat(found.get(place)).as(place).startsWith(reason));
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        assertThat(verify().keys()).isEqualTo(20);
    }

    @Test
    void aRecreatedTopicIsRefused() throws Exception {
        send(workload.upserts(50));
        awaitEnd(start(job().bounded()));
        broker().deleteTopic(collection.topic());
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> {
                            broker().createTopic(collection.topic(), PARTITIONS);
                            return true;
                        });
        assertThatThrownBy(() -> job().source())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the topic was recreated");
        send(workload.upserts(200)); // beyond what is applied
        assertThatThrownBy(() -> job().source())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was deleted and created again")
                .hasMessageContaining("start with --accept-topic");
        awaitEnd(start(job().acceptTopic().bounded()));
        awaitEnd(start(job().bounded()));
    }

    @Test
    void badInputIsRefusedBeforeTheJob() throws Exception {
        assertThatThrownBy(
                        () ->
                                CollectionSink.builder()
                                        .warehouse(warehouse)
                                        .collection("default", "nope")
                                        .build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no collection \"nope\"");
        assertThatThrownBy(
                        () ->
                                ImplicitStreamSource.builder()
                                        .warehouse(warehouse)
                                        .collection("default", "docs")
                                        .bootstrapServers("127.0.0.1:1")
                                        .property("default.api.timeout.ms", "1000")
                                        .property("request.timeout.ms", "1000")
                                        .build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("on the broker at 127.0.0.1:1");
        StreamExecutionEnvironment env = job().environment();
        env.getCheckpointConfig().enableUnalignedCheckpoints();
        job().sink().addTo(job().source().addTo(env));
        assertThatThrownBy(() -> env.getStreamGraph(false))
                .hasMessageContaining("execution.checkpointing.unaligned.enabled=false");
    }

    /** Every record that must be rejected, and how its reason begins, by partition and offset. */
    private Map<String, String> sendHostileRecords() throws Exception {
        Map<String, String> expected = new TreeMap<>();
        for (JsonValue value : golden("decode_rejects")) {
            JsonObject record = (JsonObject) value;
            hostile(expected, 0, hex(record, "key_hex"), hex(record, "value_hex"), "undecodable");
        }
        byte[] large = new byte[RecordCodec.MAX_VALUE_BYTES + 1];
        large[0] = 1;
        byte[] key = PrimaryKey.ofString("large").canonical();
        hostile(expected, 0, key, large, "undecodable");
        Operation moved = workload.upsert("moved");
        int owner = Partitioner.partitionOf(moved.key(), PARTITIONS);
        hostile(
                expected,
                (owner + 1) % PARTITIONS,
                moved.key().canonical(),
                RecordCodec.encode(moved),
                "wrong_partition: the key belongs to partition " + owner);
        Operation broken =
                new Operation.Upsert(
                        new Document(
                                PrimaryKey.ofString("broken"),
                                Json.parseObject(
                                        "{\"n\":\"text\"}".getBytes(StandardCharsets.UTF_8)),
                                Map.of(),
                                Map.of()));
        hostile(
                expected,
                Partitioner.partitionOf(broken.key(), PARTITIONS),
                broken.key().canonical(),
                RecordCodec.encode(broken),
                "schema: n: ");
        return expected;
    }

    private void hostile(
            Map<String, String> expected,
            int partition,
            @Nullable byte[] key,
            @Nullable byte[] value,
            String reason)
            throws Exception {
        long offset = broker().send(collection.topic(), partition, key, value).offset();
        expected.put(partition + "@" + offset, reason);
    }

    private static List<JsonValue> golden(String part) throws IOException {
        try (InputStream in = PipelineITCase.class.getResourceAsStream("/golden/records.json")) {
            JsonObject all = Json.parseObject(in.readAllBytes());
            return ((JsonArray) all.members().get(part)).values();
        }
    }

    @Nullable
    private static byte[] hex(JsonObject record, String name) {
        JsonValue value = record.members().get(name);
        return value instanceof JsonString text ? HexFormat.of().parseHex(text.value()) : null;
    }

    private List<DeadLetter> deadLetters() throws IOException {
        List<DeadLetter> letters = new ArrayList<>();
        for (ManifestChain.Link link : ManifestChain.of(handle()).retained()) {
            String path = link.manifest().deadLetters();
            if (!path.isEmpty()) {
                letters.addAll(DeadLetterCodec.decode(handle().objects().get(path), path));
            }
        }
        return letters;
    }
}
