package io.loam.jobs.crash;

import io.loam.flink.connector.testing.RetainedCheckpoints;
import io.loam.jobs.ApplyCollectionJob;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The apply job of a collection on the bench's cluster. */
final class ApplyJob {
    private static final int PARALLELISM = 2;
    private static final long SECONDS = 600;

    private final CrashBench bench;
    private final CollectionInfo collection;
    private final Path folder;
    private JobClient client;

    /**
     * @param folder for checkpoints and savepoints
     */
    ApplyJob(CrashBench bench, CollectionInfo collection, Path folder) {
        this.bench = bench;
        this.collection = collection;
        this.folder = folder;
    }

    /** Submits the job, as a new one; it goes on from {@code state} if that is given. */
    void submit(@Nullable Path state) throws Exception {
        Configuration config = bench.cluster().client();
        config.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints().toUri().toString());
        config.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
                Duration.ofMillis(200));
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
                Duration.ofSeconds(1));
        config.setString("parallelism.default", Integer.toString(PARALLELISM));
        config.setString("pipeline.generic-types", "false");
        if (state != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, state.toUri().toString());
        }
        StreamExecutionEnvironment env = new StreamExecutionEnvironment(config);
        ApplyCollectionJob.build(env, ParameterTool.fromMap(parameters()));
        client = env.executeAsync("apply " + collection.name());
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new HashMap<>();
        parameters.put("warehouse", bench.options().warehouse());
        parameters.put("metastore", bench.options().metastoreUrl());
        parameters.put("collection", collection.name());
        parameters.put("bootstrap-servers", bench.brokers());
        parameters.put("checkpoint-interval", "500ms");
        // Small batches and units: several of them in every checkpoint.
        parameters.put("sink.batch.max-records", "40");
        parameters.put("sink.unit.max-rows", "80");
        // As long as the cluster takes to notice that a process is gone.
        parameters.put("sink.lease-ttl", "3s");
        return parameters;
    }

    private Path checkpoints() {
        return folder.resolve("checkpoints");
    }

    /** The checkpoint on disk that was completed last, whichever submission it is of. */
    Optional<Path> newestCheckpoint() throws IOException {
        return RetainedCheckpoints.newest(checkpoints());
    }

    /** A savepoint while the job goes on. */
    Path savepoint() throws Exception {
        return path(
                client.triggerSavepoint(
                                folder.resolve("savepoints").toUri().toString(),
                                SavepointFormatType.CANONICAL)
                        .get(SECONDS, TimeUnit.SECONDS));
    }

    Path stopWithSavepoint() throws Exception {
        return path(
                client.stopWithSavepoint(
                                false,
                                folder.resolve("savepoints").toUri().toString(),
                                SavepointFormatType.CANONICAL)
                        .get(SECONDS, TimeUnit.SECONDS));
    }

    private static Path path(String uri) {
        return Path.of(java.net.URI.create(uri).getPath());
    }

    void cancel() throws Exception {
        client.cancel().get(SECONDS, TimeUnit.SECONDS);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!status().map(JobStatus::isGloballyTerminalState).orElse(false)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the job is not cancelled: " + status());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Nothing if the cluster does not answer. */
    Optional<JobStatus> status() throws InterruptedException {
        try {
            return Optional.of(client.getJobStatus().get(10, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    /** Why the job has ended, if it has. */
    List<String> end() throws InterruptedException {
        Optional<JobStatus> status = status();
        if (status.isEmpty() || !status.get().isGloballyTerminalState()) {
            return List.of();
        }
        try {
            client.getJobExecutionResult().get(10, TimeUnit.SECONDS);
            return List.of("the job ended: " + status.get());
        } catch (ExecutionException | TimeoutException e) {
            return List.of("the job ended: " + status.get() + ": " + causes(e));
        }
    }

    private static String causes(Throwable e) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            text.append(text.length() == 0 ? "" : " <- ").append(cause.getMessage());
        }
        return text.toString();
    }
}
