package io.loam.flink.connector;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.testing.Campaign;
import io.loam.flink.connector.maintenance.LoamMaintenance;
import io.loam.flink.connector.maintenance.MaintenanceJobOptions;
import io.loam.store.verify.Verifier;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job that applies as fast as it can, for a time alone, for a time with side jobs beside it, and
 * alone again, on the same cluster. Nothing of it may fail, and splits and fragments must stay few;
 * how much the side jobs cost is reported, against the mean of the times alone.
 */
class MaintenanceLoadITCase extends PipelineTestBase {
    private static final int KEYS = 30_000;
    private static final int BATCH = 1_000;
    private static final int AHEAD = 300_000;
    private static final int TITLES = 1_000;
    private static final int WORDS_OF_TITLE = 40;
    private static final int WORDS = 5_000;
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final Duration ALONE = Duration.ofSeconds(Campaign.size(15, 3 * 60));
    private static final Duration BESIDE = Duration.ofSeconds(Campaign.size(30, 30 * 60));
    private static final Duration INTERVAL = Duration.ofSeconds(Campaign.size(5, 30));

    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(Campaign.size(20, 60));

    /** Splits wait for a merge until there are ten of a size. */
    private static final int MOST_SPLITS = 60;

    private final Random random = new Random(Campaign.seed());
    private final List<JsonObject> titles = titles();
    private final AtomicLong sent = new AtomicLong();
    private long leastAhead = Long.MAX_VALUE;
    @Nullable private JobClient maintenance;
    private int mostSplits;
    private int mostFragments;
    private int besideSplits;
    private int besideFragments;
    private int verified;

    @AfterEach
    void stopMaintenance() throws Exception {
        if (maintenance != null && !maintenance.getJobStatus().get().isGloballyTerminalState()) {
            cancel(maintenance);
        }
    }

    /** Made beforehand, so that the job has the cores, not the generator. */
    private List<JsonObject> titles() {
        return Stream.generate(this::title).limit(TITLES).toList();
    }

    private JsonObject title() {
        String words =
                random.ints(WORDS_OF_TITLE, 0, WORDS)
                        .mapToObj(word -> "word" + word)
                        .collect(Collectors.joining(" "));
        String json = "{\"title\":\"" + words + "\",\"n\":" + random.nextInt(100) + "}";
        return Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Always ahead of the job, so that it never waits, but not so far that the log is all there is.
     */
    private void feed() throws Exception {
        if (sent.get() - applied() < AHEAD) {
            send(Stream.generate(this::change).limit(BATCH));
            sent.addAndGet(BATCH);
        }
    }

    /** Nearly all of them replace a document that is there. */
    private Operation change() {
        PrimaryKey key = PrimaryKey.ofU64(random.nextInt(KEYS));
        if (random.nextInt(20) == 0) {
            return new Operation.Delete(key);
        }
        return new Operation.Upsert(
                new Document(
                        key,
                        titles.get(random.nextInt(TITLES)),
                        Map.of("v", new float[] {random.nextFloat(), 1, 2, 3}),
                        Map.of()));
    }

    private long applied() throws IOException {
        return live().applied().values().stream().mapToLong(Long::longValue).sum();
    }

    private void startMaintenance() throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        LoamMaintenance.builder()
                .warehouse(warehouse)
                .set(MaintenanceJobOptions.INTERVAL, INTERVAL)
                .build()
                .addTo(env)
                .sinkTo(new DiscardingSink<>());
        maintenance = env.executeAsync("maintenance");
    }

    /** Operations a second of a phase; versions are verified meanwhile, the log at the end. */
    private double measure(Duration time) throws Exception {
        Thread.sleep(WARM_UP.toMillis());
        long before = applied();
        long started = System.nanoTime();
        long check = started + BETWEEN_CHECKS.toNanos();
        while (System.nanoTime() - started < time.toNanos()) {
            if (System.nanoTime() > check) {
                assertThat(Verifier.verify(handle()).violations()).isEmpty();
                verified++;
                check = System.nanoTime() + BETWEEN_CHECKS.toNanos();
            }
            CollectionManifest live = live();
            mostSplits = Math.max(mostSplits, live.splits().size());
            mostFragments = Math.max(mostFragments, handle().rows().files(live).size());
            leastAhead = Math.min(leastAhead, sent.get() - applied());
            Thread.sleep(500);
        }
        double rate = (applied() - before) * 1e9 / (System.nanoTime() - started);
        assertThat(Verifier.verify(handle()).violations()).isEmpty();
        verified++;
        return rate;
    }

    @Test
    void appliesAtFullLoadBesideSideJobs() throws Exception {
        JobClient applying =
                start(
                        job().parallelism(1, 2)
                                .set(
                                        CheckpointingOptions.CHECKPOINTING_INTERVAL,
                                        Duration.ofSeconds(1))
                                .set(StateBackendOptions.STATE_BACKEND, "hashmap")
                                .setSink(CollectionSinkOptions.BATCH_RECORDS, 5_000)
                                .setSink(CollectionSinkOptions.UNIT_ROWS, 100_000));
        double before;
        double beside;
        double after;
        long published;
        try (Traffic traffic = new Traffic(this::feed, 1)) {
            startMaintenance();
            measure(WARM_UP); // both phases find the code compiled and the collection filled
            cancel(maintenance);
            before = measure(ALONE);
            long failedBefore = metric(applying, "numberOfFailedCheckpoints"); // while tasks start
            startMaintenance();
            if (Campaign.isFull()) {
                awaitFew(); // what piled up alone is merged
            }
            mostSplits = 0;
            mostFragments = 0;
            beside = measure(BESIDE);
            if (Campaign.isFull()) { // the short form runs beside other builds, which slow rounds
                assertThat(mostSplits).isLessThan(MOST_SPLITS);
                assertThat(mostFragments).isLessThan(MOST_SPLITS);
            }
            besideSplits = mostSplits;
            besideFragments = mostFragments;
            assertThat(metric(applying, "numberOfFailedCheckpoints")).isEqualTo(failedBefore);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> metric(maintenance, "numTasksPublished") > 0);
            published = metric(maintenance, "numTasksPublished");
            assertThat(metric(maintenance, "numTasksFailed")).isZero();
            assertThat(metric(maintenance, "numPublishesFailed")).isZero();
            cancel(maintenance);
            after = measure(ALONE);
        }
        awaitApplied();
        startMaintenance();
        awaitFew();
        cancel(maintenance);
        assertThat(verified).isPositive();
        assertThat(metric(applying, "numRestarts")).isZero();
        stopAndCheck(applying, "at full load beside side jobs");
        report(before, beside, after, published);
    }

    /** Waits for side jobs to have caught up. */
    private void awaitFew() {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> {
                            CollectionManifest live = live();
                            assertThat(live.splits()).hasSizeLessThan(MOST_SPLITS);
                            assertThat(handle().rows().files(live)).hasSizeLessThan(MOST_SPLITS);
                        });
    }

    private void report(double before, double beside, double after, long published)
            throws IOException {
        Campaign.report(
                "maintenance",
                String.join(
                        "\n",
                        List.of(
                                "| figure | value |",
                                "|---|---|",
                                row("time alone", "2 x " + ALONE.toSeconds() + " s"),
                                row("time beside side jobs", BESIDE.toSeconds() + " s"),
                                row("side jobs look every", INTERVAL.toSeconds() + " s"),
                                row(
                                        "operations a second, alone",
                                        number(before) + " before, " + number(after) + " after"),
                                row("operations a second, beside side jobs", number(beside)),
                                row(
                                        "ratio",
                                        String.format(
                                                Locale.ROOT,
                                                "%.2f",
                                                2 * beside / (before + after))),
                                row(
                                        "operations not yet applied, at least",
                                        Long.toString(leastAhead)),
                                row("tasks published", Long.toString(published)),
                                row("most splits at a time", Integer.toString(besideSplits)),
                                row("most fragments at a time", Integer.toString(besideFragments)),
                                row("live documents", Long.toString(live().liveDocCount())),
                                row("version at the end", Long.toString(live().version())),
                                row("times verified meanwhile", Integer.toString(verified)),
                                row("failed checkpoints, restarts, violations", "0"))));
    }

    private static String row(String figure, String value) {
        return "| " + figure + " | " + value + " |";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
