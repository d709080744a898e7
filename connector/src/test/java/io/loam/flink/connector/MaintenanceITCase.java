package io.loam.flink.connector;

import io.loam.codec.manifest.CommitKind;
import io.loam.flink.connector.maintenance.LoamMaintenance;
import io.loam.flink.connector.maintenance.MaintenanceJobOptions;
import io.loam.flink.connector.testing.KeyIndexes;
import io.loam.flink.operators.maintain.MaintenanceReport;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.testing.MetastoreTime;
import io.loam.store.verify.LogReader;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.CloseableIterator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import javax.annotation.Nullable;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The maintenance job beside the job that applies. */
class MaintenanceITCase extends PipelineTestBase {
    private static final int FACTOR = 3;

    @Nullable private JobClient maintenance;

    private LoamMaintenance.Builder maintenance() {
        return LoamMaintenance.builder()
                .warehouse(warehouse)
                .set(MaintenanceJobOptions.MERGE_FACTOR, FACTOR)
                .set(MaintenanceJobOptions.MERGE_MAX_FACTOR, 2 * FACTOR)
                .set(MaintenanceJobOptions.INTERVAL, Duration.ofMillis(200))
                .set(
                        MaintenanceJobOptions.WORK_DIRECTORY,
                        directory.resolve("maintenance").toString());
    }

    private StreamExecutionEnvironment environment(RuntimeExecutionMode mode) {
        Configuration config = new Configuration();
        config.set(ExecutionOptions.RUNTIME_MODE, mode);
        config.set(PipelineOptions.GENERIC_TYPES, false); // Kryo anywhere would fail the job
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        if (mode == RuntimeExecutionMode.STREAMING) {
            config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        env.setParallelism(2);
        return env;
    }

    @AfterEach
    void stopMaintenance() throws Exception {
        if (maintenance != null && !maintenance.getJobStatus().get().isGloballyTerminalState()) {
            cancel(maintenance);
        }
    }

    private void startMaintenance() throws Exception {
        StreamExecutionEnvironment env = environment(RuntimeExecutionMode.STREAMING);
        maintenance().build().addTo(env).sinkTo(new DiscardingSink<>());
        maintenance = env.executeAsync("maintenance");
    }

    private List<MaintenanceReport> once(RuntimeExecutionMode mode) throws Exception {
        StreamExecutionEnvironment env = environment(mode);
        List<MaintenanceReport> reports = new ArrayList<>();
        try (CloseableIterator<MaintenanceReport> found =
                maintenance().once(true).build().addTo(env).executeAndCollect()) {
            found.forEachRemaining(reports::add);
        }
        return reports;
    }

    private int splits() throws IOException {
        return live().splits().size();
    }

    @Test
    void keepsUpWithAJobThatApplies() throws Exception {
        JobClient applying = start(job());
        startMaintenance();
        try (Traffic traffic = new Traffic(() -> send(workload.changes(20)))) {
            awaitCommits(25);
        }
        awaitApplied();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> splits() < 2 * FACTOR && metric(maintenance, "pendingWork") == 0);
        assertThat(metric(maintenance, "numTasksPublished")).isPositive();
        assertThat(metric(maintenance, "numTasksFailed")).isZero();
        assertThat(metric(maintenance, "numPublishesFailed")).isZero();
        assertThat(metric(applying, "numRestarts")).isZero();
        stop(maintenance, false);
        stopAndCheck(applying, "maintained while it runs");
    }

    @Test
    void runsOnceInBatch() throws Exception {
        runsOnce(RuntimeExecutionMode.BATCH);
    }

    @Test
    void runsOnceInStreaming() throws Exception {
        runsOnce(RuntimeExecutionMode.STREAMING);
    }

    private void runsOnce(RuntimeExecutionMode mode) throws Exception {
        JobClient applying = start(job());
        for (int i = 0; i < 2 * FACTOR; i++) {
            apply(workload.changes(50));
        }
        stop(applying, false);
        int before = splits();
        List<MaintenanceReport> reports = once(mode);
        assertThat(reports).hasSize(1);
        MaintenanceReport report = reports.get(0);
        assertThat(report.collection()).isEqualTo("default.docs");
        assertThat(report.round().version()).isEqualTo(live().version());
        assertThat(report.isTroubled()).isFalse();
        assertThat(report.round().tasks())
                .isNotEmpty()
                .allMatch(task -> task.status() == Status.PUBLISHED);
        assertThat(live().kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(splits()).isLessThan(before);
        verify();
        int rounds = 1;
        while (!once(mode).isEmpty()) {
            assertThat(++rounds).as("every round merges, so they come to an end").isLessThan(20);
        }
        assertThat(splits()).isLessThan(2 * FACTOR);
        verify();
    }

    @Test
    void collectsGarbageAndTrimsStreams() throws Exception {
        JobClient applying = start(job());
        for (int i = 0; i < 4; i++) {
            apply(workload.changes(50));
        }
        String savepoint = stop(applying, false);
        long objects = objects();
        days(3);
        StreamExecutionEnvironment env = environment(RuntimeExecutionMode.STREAMING);
        maintenance()
                .set(MaintenanceJobOptions.GC_INTERVAL, Duration.ofMillis(200))
                .set(MaintenanceJobOptions.KEEP_MANIFESTS, 0)
                .set(MaintenanceJobOptions.TRIM_INTERVAL, Duration.ofMillis(200))
                .set(MaintenanceJobOptions.TRIM_SERVERS, broker().servers())
                .build()
                .addTo(env)
                .sinkTo(new DiscardingSink<>());
        maintenance = env.executeAsync("maintenance");
        Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () ->
                                metric(maintenance, "numObjectsDeleted") > 0
                                        && metric(maintenance, "numRecordsTrimmed") > 0);
        assertThat(objects()).isLessThan(objects);
        stop(maintenance, false);
        JobClient again = start(job().from(savepoint));
        apply(workload.changes(50));
        String stopped = stop(again, false);
        try (LogReader log = broker().log(collection.topic())) {
            VerifyReport verified = Verifier.againstLog(handle(), log);
            assertThat(verified.violations()).isEmpty();
            assertThat(verified.skipped()).as("the stream has no beginning").isNotEmpty();
        }
        assertThat(KeyIndexes.staged(stopped, collection.id())).isEqualTo(liveIndex());
    }

    private long objects() throws IOException {
        return handle().objects().list("").size();
    }

    private void days(int days) throws SQLException {
        MetastoreTime.pass(warehouse.effectiveMetastoreUrl(), Duration.ofDays(days));
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThatThrownBy(() -> LoamMaintenance.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maintenance needs a warehouse");
        assertThatThrownBy(() -> maintenance().collections("docs", "nope").build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no collection \"nope\" in namespace \"default\"");
        assertThatThrownBy(() -> maintenance().namespace("nowhere").build())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no namespace \"nowhere\"");
        assertThatThrownBy(() -> maintenance().set(MaintenanceJobOptions.TASK_THREADS, 0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loam.maintenance.task-threads must be at least 1, not 0");
        assertThatThrownBy(() -> maintenance().set(MaintenanceJobOptions.MERGE_FACTOR, 1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the merge factor must be at least 2, not 1");
    }
}
