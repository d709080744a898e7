package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.jobs.broker.BrokerProcess;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static io.loam.jobs.cli.LoamRun.number;
import static io.loam.jobs.cli.LoamRun.printed;
import static io.loam.jobs.cli.LoamRun.text;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** Records no producer of ours writes: the job applies what it can and keeps the rest. */
class HostileRecordsITCase {
    private static final PrimaryKey KEY = PrimaryKey.ofString("key");
    private static final PrimaryKey OTHER = PrimaryKey.ofString("other");
    private static final byte[] EMPTY_OBJECT = {'{', '}'};
    private static final int PARTITIONS = 2;

    @TempDir static Path folder;

    private static BrokerProcess broker;
    private static final List<String> EXPECTED = new ArrayList<>();
    private static List<JsonObject> letters;
    private static JsonObject applied;

    private static OperationProducer producer;

    @BeforeAll
    static void applyHostileRecords() throws Exception {
        broker = BrokerProcess.open(folder.resolve("kafka"));
        loam("create", "c", "--field", "n:i64", "--vector", "v:1", "--partitions", "2").ok();
        Path bad = Files.writeString(folder.resolve("bad.jsonl"), "{\"_id\":1,\"n\":\"x\"}");
        loam("produce", "c", "--no-check", bad.toString()).ok();
        EXPECTED.add("schema: n: ");
        try (Warehouse warehouse = Warehouse.open(WarehouseOptions.local(warehouse()));
                CollectionHandle handle = warehouse.open("default", "c")) {
            try (OperationProducer opened =
                    new OperationProducer(broker.bootstrapServers(), handle.info())) {
                producer = opened;
                sendAll();
                producer.flush();
            }
        }
        applied = loam("apply", "c", "--json").ok().json().get(0);
        letters = loam("dead-letters", "c", "--json").ok().json();
    }

    @AfterAll
    static void stopBroker() throws IOException {
        broker.close();
    }

    private static void sendAll() {
        byte[] delete = RecordCodec.encode(new Operation.Delete(KEY));
        reject("undecodable: missing record key", null, delete);
        reject("undecodable: missing record value", KEY.canonical(), null);
        reject("undecodable: missing record value", KEY.canonical(), new byte[0]);
        reject(
                "undecodable: the value has 16777217",
                KEY.canonical(),
                sized(KEY, RecordCodec.MAX_VALUE_BYTES + 1));
        reject("undecodable: unknown codec version 2", KEY.canonical(), new byte[] {2, 1, 0, 1});
        reject("undecodable: invalid record key", new byte[] {9, 1}, delete);
        reject("undecodable: malformed body", KEY.canonical(), new byte[] {1, 7});
        reject("undecodable: malformed body", KEY.canonical(), new byte[] {1, 1, 2, 3, 'k'});
        reject("undecodable: malformed body", KEY.canonical(), append(delete, 1));
        reject(
                "undecodable: invalid key in the body",
                KEY.canonical(),
                upsert(new byte[] {2, 0}, EMPTY_OBJECT, 1));
        reject(
                "undecodable: malformed body",
                KEY.canonical(),
                upsert(key(KEY), EMPTY_OBJECT, Float.NaN));
        reject(
                "undecodable: malformed body",
                KEY.canonical(),
                upsert(key(KEY), new byte[] {'[', ']'}, 1));
        reject(
                "undecodable: malformed body",
                KEY.canonical(),
                patch(upsertBody(key(KEY), new byte[] {'1'}, 1)));
        reject(
                "undecodable: invalid key in the body",
                KEY.canonical(),
                patch(upsertBody(new byte[] {2, 0}, EMPTY_OBJECT, 1)));
        reject("undecodable: the body's key differs", OTHER.canonical(), delete);
        EXPECTED.add("wrong_partition: ");
        producer.sendRaw(1 - partition(KEY), KEY.canonical(), delete);
        // What is good before, between and behind the bad ones is applied.
        PrimaryKey full = PrimaryKey.ofString("full");
        producer.send(full, sized(full, RecordCodec.MAX_VALUE_BYTES));
        producer.send(
                new Operation.Upsert(
                        new Document(
                                KEY,
                                new JsonObject(Map.of("n", JsonInteger.of(7))),
                                Map.of(),
                                Map.of())));
    }

    private static void reject(String reason, byte[] key, byte[] value) {
        EXPECTED.add(reason);
        producer.sendRaw(partition(KEY), key, value);
    }

    @Test
    void goodOnesAreApplied() {
        assertThat(number(applied, "live_documents")).isEqualTo(2);
        JsonObject row = loam("get", "c", "key").ok().json().get(0);
        assertThat(printed(row, "source")).isEqualTo("{\"n\":7}");
    }

    @Test
    void valueOfSixteenMebibytesIsWholeAndOneByteMoreADeadLetter() {
        JsonObject full = loam("get", "c", "full").ok().json().get(0);
        String text = text((JsonObject) full.members().get("source"), "text");
        assertThat(text.length()).isBetween(RecordCodec.MAX_VALUE_BYTES - 64, 16 << 20);
        assertThat(letters.stream().mapToInt(l -> hexLength(l) / 2).max())
                .hasValue(RecordCodec.MAX_VALUE_BYTES + 1);
    }

    private static int hexLength(JsonObject letter) {
        return letter.members().get("value_hex") instanceof JsonString
                ? text(letter, "value_hex").length()
                : 0;
    }

    @Test
    void everyBadOneIsADeadLetterWithItsReason() {
        assertThat(number(applied, "dead_letters_total")).isEqualTo(EXPECTED.size());
        List<String> reasons =
                new ArrayList<>(letters.stream().map(letter -> text(letter, "reason")).toList());
        for (String expected : EXPECTED) {
            assertThat(reasons.stream().filter(reason -> reason.startsWith(expected)))
                    .as(expected)
                    .isNotEmpty();
        }
        assertThat(count(reasons, "undecodable: ")).isEqualTo(15);
        assertThat(count(reasons, "wrong_partition: ")).isEqualTo(1);
        assertThat(count(reasons, "schema: ")).isEqualTo(1);
    }

    private static long count(List<String> reasons, String prefix) {
        return reasons.stream().filter(reason -> reason.startsWith(prefix)).count();
    }

    @Test
    void tableShowsThemShort() {
        String table = loam("dead-letters", "c").ok().out();
        assertThat(table).hasLineCount(EXPECTED.size() + 1).contains("0x0901", "16777217");
        assertThat(table.lines()).allMatch(line -> line.length() < 250);
    }

    @Test
    void collectionStillVerifies() {
        assertThat(loam("verify", "c").ok().out())
                .endsWith("verified: 2 keys, 0 violations" + System.lineSeparator());
    }

    /** A value of {@code size} bytes that would be good if it is not too large. */
    private static byte[] sized(PrimaryKey key, int size) {
        int letters = size;
        byte[] value = filled(key, letters);
        while (value.length > size) {
            letters -= value.length - size;
            value = filled(key, letters);
        }
        assertThat(value).hasSize(size);
        return value;
    }

    private static byte[] filled(PrimaryKey key, int letters) {
        byte[] source = ("{\"text\":\"" + "x".repeat(letters) + "\"}").getBytes(US_ASCII);
        PostcardWriter out = new PostcardWriter(letters + 64);
        out.u8(1).size(0).raw(key(key)).bytes(source).size(0).size(0);
        return out.toByteArray();
    }

    private static byte[] upsert(byte[] key, byte[] source, float weight) {
        return concat(new byte[] {1, 0}, upsertBody(key, source, weight));
    }

    private static byte[] upsertBody(byte[] key, byte[] source, float weight) {
        PostcardWriter out = new PostcardWriter(64);
        out.raw(key).bytes(source);
        out.size(1).string("v").size(1).f32(weight).size(0);
        return out.toByteArray();
    }

    private static byte[] patch(byte[] document) {
        PostcardWriter out = new PostcardWriter(64);
        out.u8(1).size(2).raw(key(KEY)).size(0).bytes(EMPTY_OBJECT).size(0).size(0).size(0);
        return concat(out.bool(true).toByteArray(), document);
    }

    /** The string key inside a body. */
    private static byte[] key(PrimaryKey key) {
        return new PostcardWriter(64).size(2).string(key.string()).toByteArray();
    }

    private static byte[] append(byte[] bytes, int count) {
        return concat(bytes, new byte[count]);
    }

    private static byte[] concat(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }

    private static int partition(PrimaryKey key) {
        return Partitioner.partitionOf(key, PARTITIONS);
    }

    private static Path warehouse() {
        return folder.resolve("warehouse");
    }

    private static LoamRun loam(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--warehouse";
        all[arguments.length + 1] = warehouse().toString();
        return LoamRun.of(all);
    }
}
