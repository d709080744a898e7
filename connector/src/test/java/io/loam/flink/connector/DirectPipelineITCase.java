package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.flink.connector.DataStreamExample.Product;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** From changes without offsets to verified collections. */
class DirectPipelineITCase {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final PrimaryKey MARK = PrimaryKey.ofString("mark");

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(4)
                            .build());

    @TempDir Path directory;
    private final String script = UUID.randomUUID().toString();
    private final Random random = new Random(Long.getLong("loam.seed", 20_261_130L));
    private WarehouseOptions warehouse;
    private Warehouse opened;
    private CollectionInfo collection;
    private CollectionHandle handle;
    private DirectModel model;

    @BeforeEach
    void createCollection() throws Exception {
        warehouse = WarehouseOptions.local(directory.resolve("warehouse"));
        opened = Warehouse.openOrCreate(warehouse);
        collection = opened.metastore().createCollection("default", "docs", schema(), 4, null);
        handle = opened.open(collection.id());
        model = new DirectModel(schema());
    }

    @AfterEach
    void close() throws Exception {
        FailOnce.disarm();
        try (Warehouse closing = opened;
                CollectionHandle closingHandle = handle) {
            handle = null;
        }
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
                List.of(),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    @Test
    void aFailureLosesAndDoublesNothing() throws Exception {
        write(400);
        FailOnce.arm();
        JobClient job = start(null);
        awaitWritten();
        write(400); // the failure comes with one of these
        awaitWritten();
        write(200);
        awaitWritten();
        assertThat(FailOnce.failures()).isEqualTo(1);
        String savepoint = stop(job);
        model(0, Script.size(script));
        verify();

        int stopped = Script.size(script);
        JobClient restored = start(savepoint);
        write(300);
        awaitWritten();
        stop(restored);
        model(stopped, Script.size(script));
        verify();
    }

    @Test
    void aCollectionTakesOneModeOnly() throws Exception {
        CollectionSink stream = builder().build();
        write(50);
        JobClient job = start(null);
        awaitWritten();
        stop(job);
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("collection default.docs was first written in DIRECT mode");
        // A sink that was built before the first commit finds out when it opens.
        StreamExecutionEnvironment env = environment(null);
        addTo(env, stream);
        assertThatThrownBy(() -> env.execute("late"))
                .rootCause()
                .hasMessageContaining("takes no writer in STREAM mode; set loam.sink.mode=DIRECT");
    }

    @Test
    void aStreamSinkTakesNoChanges() throws Exception {
        write(1);
        StreamExecutionEnvironment env = environment(null);
        addTo(env, builder().build());
        assertThatThrownBy(() -> env.execute("changes"))
                .rootCause()
                .hasMessageContaining("a sink in STREAM mode takes no Change")
                .hasMessageContaining("loam.sink.mode=DIRECT");
    }

    @Test
    void theExampleOfTheDocumentationRuns() throws Exception {
        CollectionInfo products =
                opened.metastore().createCollection("default", "products", schema(), 4, null);
        StreamExecutionEnvironment env = environment(null);
        DataStreamExample.write(
                env.fromData(
                                new Product("a", "{\"title\":\"a lamp\"}", false),
                                new Product("b", "{\"title\":\"a chair\"}", false),
                                new Product("a", "", true))
                        .setParallelism(1),
                warehouse);
        env.execute("example");
        try (CollectionHandle written = opened.open(products.id())) {
            model.apply(upsert("b", "{\"title\":\"a chair\"}"));
            assertThat(Verifier.againstModel(written, model.rows()).violations()).isEmpty();
        }
    }

    /** Appends random operations, now and then one that breaks the schema, and a mark. */
    private void write(int operations) {
        List<Operation> wave = new ArrayList<>();
        for (int i = 0; i < operations; i++) {
            String key = "k" + random.nextInt(300);
            int kind = random.nextInt(20);
            if (kind < 9) {
                wave.add(upsert(key, "{\"title\":\"the " + key + "\",\"n\":" + i + "}"));
            } else if (kind < 13) {
                wave.add(new Operation.Delete(PrimaryKey.ofString(key)));
            } else if (kind < 19) {
                wave.add(patch(key, "{\"n\":" + i + ",\"seen\":true}"));
            } else {
                wave.add(upsert(key, "{\"n\":\"text\"}"));
            }
        }
        int at = Script.size(script) + operations;
        wave.add(
                new Operation.Upsert(
                        new Document(MARK, json("{\"n\":" + at + "}"), Map.of(), Map.of())));
        Script.append(script, wave);
    }

    private static Operation upsert(String key, String json) {
        return new Operation.Upsert(
                new Document(PrimaryKey.ofString(key), json(json), Map.of(), Map.of()));
    }

    private static Operation patch(String key, String json) {
        return new Operation.Patch(
                PrimaryKey.ofString(key),
                PatchMode.MERGE_DEEP,
                json(json),
                List.of("title"),
                Map.of(),
                Map.of(),
                null);
    }

    private static io.loam.codec.json.JsonValue.JsonObject json(String text) {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private void model(int from, int to) {
        for (int at = from; at < to; at++) {
            model.apply(Script.get(script, at));
        }
    }

    private JobClient start(@Nullable String savepoint) throws Exception {
        StreamExecutionEnvironment env = environment(savepoint);
        addTo(env, builder().direct().build());
        return env.executeAsync("direct");
    }

    private void addTo(StreamExecutionEnvironment env, CollectionSink sink) {
        String name = script;
        sink.addTo(
                        env.fromSource(
                                        new ScriptSource(script, false),
                                        WatermarkStrategy.noWatermarks(),
                                        "script")
                                .setParallelism(1)
                                .uid("script")
                                .map(at -> Changes.of(Script.get(name, at)))
                                .returns(Changes.TYPE)
                                .setParallelism(1)
                                .map(new FailOnce())
                                .returns(Changes.TYPE)
                                .setParallelism(1))
                .setParallelism(3);
    }

    private StreamExecutionEnvironment environment(@Nullable String savepoint) {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false); // Kryo anywhere would fail the job
        config.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(300));
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

    private CollectionSinkBuilder builder() {
        return CollectionSink.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .set(CollectionSinkOptions.BATCH_RECORDS, 50)
                .set(CollectionSinkOptions.UNIT_ROWS, 120)
                .set(
                        CollectionSinkOptions.STAGING_DIRECTORY,
                        directory.resolve("staging").toString());
    }

    private String stop(JobClient job) throws Exception {
        return job.stopWithSavepoint(
                        false,
                        directory.resolve("savepoints").toUri().toString(),
                        SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    /** Waits until the mark at the script's end is committed, and so all that came before. */
    private void awaitWritten() {
        String last = "{\"n\":" + (Script.size(script) - 1) + "}";
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(mark()).isEqualTo(last));
    }

    private String mark() throws IOException {
        try (RowSnapshot rows =
                        handle.rows()
                                .open(handle.live().manifest().lanceVersion(), handle.schema());
                RowCursor cursor = rows.scan(Projection.SOURCES, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                if (row.key().equals(MARK)) {
                    return new String(row.source(), StandardCharsets.UTF_8);
                }
            }
        }
        return "no mark";
    }

    private void verify() throws Exception {
        VerifyReport report = Verifier.againstModel(handle, model.rows());
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
        assertThat(handle.live().manifest().deadLettersTotal()).isEqualTo(model.deadLetters());
    }
}
