package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.flink.operators.CollectionElement;
import io.loam.flink.operators.KeyTypes;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** From records on a topic to verified collections, with failures and restarts in between. */
class PipelineITCase {
    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    private static EmbeddedBroker broker;

    @TempDir Path directory;
    private WarehouseOptions warehouse;
    private CollectionInfo collection;
    private final Random random = new Random(Long.getLong("loam.seed", 20_261_130L));

    @BeforeAll
    static void startBroker() throws Exception {
        broker = new EmbeddedBroker();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    @BeforeEach
    void createCollection(TestInfo test) throws Exception {
        warehouse = WarehouseOptions.local(directory.resolve("warehouse"));
        try (Warehouse opened = Warehouse.openOrCreate(warehouse)) {
            collection =
                    opened.metastore()
                            .createCollection(
                                    "default",
                                    "docs",
                                    schema(),
                                    PARTITIONS,
                                    test.getTestMethod().orElseThrow().getName());
        }
        broker.createTopic(collection.topic(), PARTITIONS);
    }

    private static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(
                        new Field(
                                "title",
                                "title",
                                new FieldKind.Text("standard", true),
                                true,
                                false,
                                false),
                        new Field("n", "n", new FieldKind.I64(), true, true, false)),
                List.of(
                        new Vector(
                                "v",
                                4,
                                Distance.COSINE,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    @Test
    void survivesAFailureAndStartsWithoutState() throws Exception {
        upsertWave(600);
        FailOnce.arm();
        JobClient first = start(null, false);
        awaitApplied();
        changeWave(600); // the failure comes with one of these
        awaitApplied();
        changeWave(300);
        awaitApplied();
        assertThat(FailOnce.failures()).isEqualTo(1);
        first.cancel().get();
        long keys = verify().keys();
        assertThat(keys).isPositive();

        JobClient rebuilt = start(null, false);
        changeWave(400);
        awaitApplied();
        verify();
        String savepoint = stop(rebuilt);
        assertThat(stagedIndex(savepoint)).isEqualTo(liveIndex());

        JobClient restored = start(savepoint, false);
        changeWave(200);
        awaitApplied();
        restored.cancel().get();
        verify();
    }

    @Test
    void anOldSavepointLosesAndDoublesNothing() throws Exception {
        upsertWave(200);
        JobClient first = start(null, false);
        awaitApplied();
        String old =
                first.triggerSavepoint(
                                directory.resolve("old").toUri().toString(),
                                SavepointFormatType.CANONICAL)
                        .get(60, TimeUnit.SECONDS);
        changeWave(300);
        awaitApplied();
        first.cancel().get();
        JobClient forked = start(old, false);
        changeWave(200);
        awaitApplied();
        String savepoint = stop(forked);
        verify();
        assertThat(stagedIndex(savepoint)).isEqualTo(liveIndex());
    }

    @Test
    void hostileRecordsBecomeDeadLetters() throws Exception {
        Map<String, String> expected = sendHostileRecords();
        upsertWave(20);
        start(null, true).getJobExecutionResult().get(2, TimeUnit.MINUTES);
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
    void aBoundedJobEndsAndGoesOnWhereItEnded() throws Exception {
        upsertWave(100);
        start(null, true).getJobExecutionResult().get(2, TimeUnit.MINUTES);
        assertThat(live().applied()).isEqualTo(withoutEmpty());
        changeWave(100);
        start(null, true).getJobExecutionResult().get(2, TimeUnit.MINUTES);
        assertThat(live().applied()).isEqualTo(withoutEmpty());
        verify();
        long version = live().version();
        start(null, true).getJobExecutionResult().get(2, TimeUnit.MINUTES);
        assertThat(live().version()).isEqualTo(version);
    }

    @Test
    void aRecreatedTopicIsRefused() throws Exception {
        upsertWave(50);
        start(null, true).getJobExecutionResult().get(2, TimeUnit.MINUTES);
        broker.deleteTopic(collection.topic());
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> {
                            broker.createTopic(collection.topic(), PARTITIONS);
                            return true;
                        });
        assertThatThrownBy(() -> source(false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the topic was recreated");
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
        StreamExecutionEnvironment env = environment(null);
        env.getCheckpointConfig().enableUnalignedCheckpoints();
        sink().addTo(source(false).addTo(env));
        assertThatThrownBy(() -> env.getStreamGraph(false))
                .hasMessageContaining("execution.checkpointing.unaligned.enabled=false");
    }

    private void upsertWave(int documents) throws Exception {
        for (int i = 0; i < documents; i++) {
            send(upsert("k" + i));
        }
    }

    private void changeWave(int operations) throws Exception {
        for (int i = 0; i < operations; i++) {
            String key = "k" + random.nextInt(700);
            int kind = random.nextInt(10);
            if (kind < 4) {
                send(upsert(key));
            } else if (kind < 6) {
                send(new Operation.Delete(PrimaryKey.ofString(key)));
            } else {
                send(patch(key));
            }
        }
    }

    private void send(Operation operation) throws Exception {
        broker.send(collection.topic(), PARTITIONS, operation);
    }

    private Operation upsert(String key) {
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
        Operation moved = upsert("moved");
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
                                json("{\"n\":\"text\"}"),
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
        long offset = broker.send(collection.topic(), partition, key, value).offset();
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

    private JobClient start(@Nullable String savepoint, boolean bounded) throws Exception {
        StreamExecutionEnvironment env = environment(savepoint);
        DataStream<CollectionElement> elements =
                source(bounded)
                        .addTo(env)
                        .map(new FailOnce())
                        .returns(CollectionElement.TYPE)
                        .setParallelism(2);
        sink().addTo(elements).setParallelism(3);
        return env.executeAsync("apply");
    }

    private StreamExecutionEnvironment environment(@Nullable String savepoint) {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false); // Kryo anywhere would fail the job
        config.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(400));
        config.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        if (savepoint != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        }
        return StreamExecutionEnvironment.getExecutionEnvironment(config);
    }

    private ImplicitStreamSource source(boolean bounded) throws IOException {
        return ImplicitStreamSource.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .bootstrapServers(broker.servers())
                .bounded(bounded)
                .parallelism(2)
                .build();
    }

    private CollectionSink sink() throws IOException {
        return CollectionSink.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .set(CollectionSinkOptions.BATCH_RECORDS, 50)
                .set(CollectionSinkOptions.UNIT_ROWS, 120)
                .set(
                        CollectionSinkOptions.STAGING_DIRECTORY,
                        directory.resolve("staging").toString())
                .build();
    }

    private String stop(JobClient job) throws Exception {
        return job.stopWithSavepoint(
                        false,
                        directory.resolve("savepoints").toUri().toString(),
                        SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    private Map<Integer, Long> withoutEmpty() throws Exception {
        Map<Integer, Long> ends = new TreeMap<>(broker.ends(collection.topic(), PARTITIONS));
        ends.values().removeIf(end -> end == 0);
        return ends;
    }

    private void awaitApplied() throws Exception {
        Map<Integer, Long> ends = withoutEmpty();
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(live().applied()).isEqualTo(ends));
    }

    private CollectionManifest live() throws IOException {
        try (Warehouse opened = Warehouse.open(warehouse);
                CollectionHandle handle = opened.open(collection.id())) {
            return handle.live().manifest();
        }
    }

    private VerifyReport verify() throws Exception {
        try (Warehouse opened = Warehouse.open(warehouse);
                CollectionHandle handle = opened.open(collection.id());
                var log = broker.log(collection.topic())) {
            VerifyReport report = Verifier.againstLog(handle, log);
            assertThat(report.violations()).isEmpty();
            assertThat(report.skipped()).isEmpty();
            return report;
        }
    }

    private List<DeadLetter> deadLetters() throws IOException {
        List<DeadLetter> letters = new ArrayList<>();
        try (Warehouse opened = Warehouse.open(warehouse);
                CollectionHandle handle = opened.open(collection.id())) {
            for (ManifestChain.Link link : ManifestChain.of(handle).retained()) {
                String path = link.manifest().deadLetters();
                if (!path.isEmpty()) {
                    letters.addAll(DeadLetterCodec.decode(handle.objects().get(path), path));
                }
            }
        }
        return letters;
    }

    private Map<PrimaryKey, Long> liveIndex() throws IOException {
        Map<PrimaryKey, Long> index = new TreeMap<>();
        try (Warehouse opened = Warehouse.open(warehouse);
                CollectionHandle handle = opened.open(collection.id());
                RowSnapshot rows =
                        handle.rows()
                                .open(handle.live().manifest().lanceVersion(), handle.schema());
                RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                index.put(row.key(), row.rowId());
            }
        }
        return index;
    }

    /** The staging operator's index as a savepoint holds it. */
    private Map<PrimaryKey, Long> stagedIndex(String savepoint) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SavepointReader reader = SavepointReader.read(env, savepoint, new HashMapStateBackend());
        DataStream<Tuple2<PrimaryKey, Long>> entries =
                reader.readKeyedState(
                        OperatorIdentifier.forUid(
                                CollectionSink.uid(collection.id())
                                        + ": "
                                        + CollectionSink.STAGE_UID),
                        new IndexReader(),
                        KeyTypes.KEY,
                        IndexReader.TYPE);
        Map<PrimaryKey, Long> index = new TreeMap<>();
        try (CloseableIterator<Tuple2<PrimaryKey, Long>> iterator = entries.executeAndCollect()) {
            iterator.forEachRemaining(entry -> index.put(entry.f0, entry.f1));
        }
        return index;
    }

    private static final class IndexReader
            extends KeyedStateReaderFunction<PrimaryKey, Tuple2<PrimaryKey, Long>> {
        private static final long serialVersionUID = 1L;
        private static final TypeInformation<Tuple2<PrimaryKey, Long>> TYPE =
                Types.TUPLE(KeyTypes.KEY, Types.LONG);
        private transient ValueState<Long> rowId;

        @Override
        public void open(org.apache.flink.api.common.functions.OpenContext context) {
            rowId = getRuntimeContext().getState(new ValueStateDescriptor<>("row-id", Types.LONG));
        }

        @Override
        public void readKey(
                PrimaryKey key, Context context, Collector<Tuple2<PrimaryKey, Long>> out)
                throws Exception {
            out.collect(Tuple2.of(key, rowId.value()));
        }
    }
}
