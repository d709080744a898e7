package io.loam.flink.connector.table;

import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.testing.Campaign;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.Pointer;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiter;
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
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
    private static volatile CompletableFuture<Void> firstVersion;

    /** Half of the numbers at an even pace, and the others once a version of those is there. */
    private static final class HalfAndHalf<S extends SourceSplit> implements RateLimiter<S> {
        private final RateLimiter<S> pace;
        private long asked;

        private HalfAndHalf(RateLimiter<S> pace) {
            this.pace = pace;
        }

        static <S extends SourceSplit> RateLimiter<S> strategy(int parallelism) {
            RateLimiterStrategy<S> even = RateLimiterStrategy.perSecond(ROWS_PER_SECOND);
            return new HalfAndHalf<>(even.createRateLimiter(parallelism));
        }

        @Override
        public CompletionStage<Void> acquire(int numbers) {
            asked += numbers;
            return asked <= ROWS / 2
                    ? pace.acquire(numbers)
                    : firstVersion.thenCompose(there -> pace.acquire(numbers));
        }
    }

    @Test
    void rowsAreInTheVersionOfTheNextCheckpoint() throws Exception {
        create(
                "CREATE TABLE docs (id BIGINT, made TIMESTAMP_LTZ(3),"
                        + " version BIGINT METADATA FROM '_version' VIRTUAL,"
                        + " PRIMARY KEY (id) NOT ENFORCED)"
                        + with());
        run(batch, "INSERT INTO docs VALUES (-1, TO_TIMESTAMP_LTZ(0, 3))");
        NavigableMap<Long, Long> seen = write();
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
            // A version that nobody looked at before the next one came.
            long visible = seen.ceilingEntry(one.getKey()).getValue();
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

    /**
     * Writes numbered rows, each with its time; gives when versions could be read. Half of the rows
     * come when a version of the others is there, so that there are two at any speed.
     */
    private NavigableMap<Long, Long> write() throws Exception {
        firstVersion = new CompletableFuture<>();
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
                        new DataGeneratorSource<>(numbers, ROWS, HalfAndHalf::strategy, Types.LONG),
                        WatermarkStrategy.noWatermarks(),
                        "numbers"));
        TableResult writing =
                tables.executeSql(
                        "INSERT INTO docs SELECT f0, CURRENT_ROW_TIMESTAMP() FROM numbers");
        NavigableMap<Long, Long> seen = new TreeMap<>();
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
                if (pointer.version() > 1) {
                    firstVersion.complete(null);
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        }
        writing.await(10, TimeUnit.MINUTES);
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
