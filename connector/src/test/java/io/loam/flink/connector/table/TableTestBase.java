package io.loam.flink.connector.table;

import io.loam.flink.connector.SharedCluster;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** SQL on the cluster that all tests share, each test with a warehouse of its own. */
@ExtendWith(SharedCluster.class)
abstract class TableTestBase {
    private static final int CHECKPOINT_MS = 200;

    @TempDir Path directory;
    StreamTableEnvironment batch;
    StreamTableEnvironment streaming;

    @BeforeEach
    void openEnvironments() {
        batch = environment(RuntimeExecutionMode.BATCH);
        streaming = environment(RuntimeExecutionMode.STREAMING);
    }

    private static StreamTableEnvironment environment(RuntimeExecutionMode mode) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.configure(new Configuration().set(ExecutionOptions.RUNTIME_MODE, mode));
        env.setParallelism(2);
        if (mode == RuntimeExecutionMode.STREAMING) {
            env.enableCheckpointing(CHECKPOINT_MS);
        }
        return StreamTableEnvironment.create(
                env,
                mode == RuntimeExecutionMode.BATCH
                        ? EnvironmentSettings.inBatchMode()
                        : EnvironmentSettings.inStreamingMode());
    }

    @AfterEach
    void forgetTables() {
        batch = null;
        streaming = null;
    }

    WarehouseOptions warehouse() {
        return WarehouseOptions.local(directory.resolve("warehouse"));
    }

    /** {@code 'connector' = 'loam', 'warehouse' = ...} and what is given, in brackets. */
    String with(String... options) {
        StringBuilder with =
                new StringBuilder(" WITH ('connector' = 'loam', 'warehouse' = '")
                        .append(directory.resolve("warehouse"))
                        .append('\'');
        for (int i = 0; i < options.length; i += 2) {
            with.append(", '").append(options[i]).append("' = '").append(options[i + 1]);
            with.append('\'');
        }
        return with.append(')').toString();
    }

    /** Creates a table in both environments. */
    void create(String statement) {
        batch.executeSql(statement);
        streaming.executeSql(statement);
    }

    /** Runs a statement to its end. */
    static void run(StreamTableEnvironment environment, String statement) throws Exception {
        TableResult result = environment.executeSql(statement);
        result.await(10, TimeUnit.MINUTES);
    }

    static List<Row> rows(StreamTableEnvironment environment, String query) throws Exception {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> found = environment.executeSql(query).collect()) {
            found.forEachRemaining(rows::add);
        }
        return rows;
    }

    static List<String> lines(StreamTableEnvironment environment, String query) throws Exception {
        return rows(environment, query).stream().map(Row::toString).toList();
    }

    /** What is done with a collection by its own API. */
    interface Reading<T> {
        T of(CollectionHandle collection) throws IOException;
    }

    <T> T reading(String name, Reading<T> reading) throws IOException {
        try (Warehouse opened = Warehouse.open(warehouse());
                CollectionHandle collection = opened.open("default", name)) {
            return reading.of(collection);
        }
    }

    /** A time in SQL, as a clock of a zone shows it. */
    static String timestamp(Instant time, ZoneId zone) {
        return "TIMESTAMP '"
                + DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS").format(time.atZone(zone))
                + "'";
    }

    /** Returns when nothing of the job writes any more. */
    static void cancel(TableResult job) throws Exception {
        JobClient client = job.getJobClient().orElseThrow();
        client.cancel().get(10, TimeUnit.MINUTES);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> client.getJobStatus().get().isGloballyTerminalState());
    }
}
