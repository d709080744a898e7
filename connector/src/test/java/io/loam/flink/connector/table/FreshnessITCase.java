package io.loam.flink.connector.table;

import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.testing.Campaign;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.Pointer;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written before a checkpoint is in the version of that checkpoint; how long that takes.
 */
class FreshnessITCase extends TableTestBase {
    private static final int INTERVAL_MS = 1000;
    private static final int ROWS_PER_SECOND = 200;
    private static final int ROWS = ROWS_PER_SECOND * Campaign.size(4, 60);
    private static final long LOOK_MS = 5;

    @Test
    void rowsAreInTheVersionOfTheNextCheckpoint() throws Exception {
        create(
                "CREATE TABLE docs (id BIGINT, made TIMESTAMP_LTZ(3),"
                        + " version BIGINT METADATA FROM '_version' VIRTUAL,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO docs VALUES (-1, TO_TIMESTAMP_LTZ(0, 3))");
        Map<Long, Long> seen = write();
        Map<Long, List<Row>> rows = readByVersion();
        long last = -1;
        List<Long> waited = new ArrayList<>();
        for (Map.Entry<Long, List<Row>> one : rows.entrySet()) {
            LongStream ids = one.getValue().stream().mapToLong(row -> row.<Long>getFieldAs("id"));
            assertThat(ids.sorted().toArray())
                    .as("rows of version " + one.getKey())
                    .isEqualTo(
                            LongStream.rangeClosed(last + 1, last + one.getValue().size())
                                    .toArray());
            last += one.getValue().size();
            long visible = seen.get(one.getKey());
            one.getValue()
                    .forEach(
                            row ->
                                    waited.add(
                                            visible
                                                    - row.<Instant>getFieldAs("made")
                                                            .toEpochMilli()));
        }
        assertThat(last).isEqualTo(ROWS - 1);
        assertThat(rows).hasSizeGreaterThan(1);
        assertThat(checkpoints(rows.keySet())).doesNotHaveDuplicates().isSorted();
        waited.sort(null);
        System.out.printf(
                "FreshnessITCase: %d rows in %d versions, a checkpoint every %d ms: visible after"
                        + " %d ms (median), %d ms (99 of 100), %d ms (all)%n",
                ROWS,
                rows.size(),
                INTERVAL_MS,
                waited.get(ROWS / 2),
                waited.get(ROWS * 99 / 100),
                waited.get(ROWS - 1));
    }

    /** Writes numbered rows, each with its time; gives when each version could be read. */
    private Map<Long, Long> write() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        env.enableCheckpointing(INTERVAL_MS);
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        tables.executeSql(
                "CREATE TABLE docs (id BIGINT, made TIMESTAMP_LTZ(3), PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        // Evenly, and not all rows of a second at once, as the SQL connector of that name does.
        GeneratorFunction<Long, Long> numbers = number -> number;
        tables.createTemporaryView(
                "numbers",
                env.fromSource(
                        new DataGeneratorSource<>(
                                numbers,
                                ROWS,
                                RateLimiterStrategy.perSecond(ROWS_PER_SECOND),
                                Types.LONG),
                        WatermarkStrategy.noWatermarks(),
                        "numbers"));
        TableResult writing =
                tables.executeSql(
                        "INSERT INTO docs SELECT f0, CURRENT_ROW_TIMESTAMP() FROM numbers");
        Map<Long, Long> seen = new TreeMap<>();
        try (Warehouse opened = Warehouse.open(warehouse());
                CollectionHandle collection = opened.open("default", "docs")) {
            boolean ended = false;
            while (!ended) {
                ended =
                        writing.getJobClient()
                                .orElseThrow()
                                .getJobStatus()
                                .get()
                                .isGloballyTerminalState();
                Pointer pointer = collection.metastore().head(collection.info().id()).pointer();
                seen.putIfAbsent(pointer.version(), System.currentTimeMillis());
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        }
        writing.await(2, TimeUnit.MINUTES);
        return seen;
    }

    private Map<Long, List<Row>> readByVersion() throws Exception {
        Map<Long, List<Row>> rows = new TreeMap<>();
        try (CloseableIterator<Row> changes =
                streaming
                        .executeSql(
                                "SELECT id, made, version FROM docs /*+ OPTIONS('scan.mode' ="
                                        + " 'from-version', 'scan.version' = '1') */")
                        .collect()) {
            for (int i = 0; i < ROWS; i++) {
                Row row = changes.next();
                rows.computeIfAbsent(row.getFieldAs("version"), version -> new ArrayList<>())
                        .add(row);
            }
        }
        return rows;
    }

    private List<Long> checkpoints(Iterable<Long> versions) throws Exception {
        return reading(
                "docs",
                collection -> {
                    List<Long> checkpoints = new ArrayList<>();
                    for (long version : versions) {
                        checkpoints.add(
                                Long.parseLong(
                                        ManifestChain.of(collection)
                                                .open(version)
                                                .properties()
                                                .get(ManifestProperties.CHECKPOINT)));
                    }
                    return checkpoints;
                });
    }
}
