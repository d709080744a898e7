package io.loam.bench.job;

import io.loam.bench.RunningJob;
import io.loam.flink.connector.Changes;
import io.loam.flink.connector.CollectionSink;
import io.loam.flink.connector.CollectionSinkOptions;
import io.loam.flink.connector.maintenance.LoamMaintenance;
import io.loam.flink.connector.maintenance.MaintenanceJobOptions;
import io.loam.flink.operators.CollectionElement;
import io.loam.store.WarehouseOptions;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

import java.nio.file.Path;
import java.time.Duration;

/**
 * A job that writes a collection in direct mode, on a cluster in this process: key index in
 * RocksDB, everything else as it is set by default.
 */
final class LoadJob {
    private static final MemorySize MANAGED = MemorySize.ofMebiBytes(256);

    private final WarehouseOptions warehouse;
    private final Path directory;
    private Duration checkpoints = Duration.ofSeconds(2);
    private int parallelism = 1;

    /**
     * @param directory for checkpoints, state and staging
     */
    LoadJob(WarehouseOptions warehouse, Path directory) {
        this.warehouse = warehouse;
        this.directory = directory;
    }

    LoadJob checkpoints(Duration interval) {
        checkpoints = interval;
        return this;
    }

    LoadJob parallelism(int value) {
        parallelism = value;
        return this;
    }

    /** Flink as all jobs of the figures are run. */
    static Configuration configuration(Path directory, int slots) {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false);
        config.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        config.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        config.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
        config.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED);
        RebuildTimes.addTo(config);
        return config;
    }

    /**
     * Starts it.
     *
     * @param input numbers 0 to {@code count}, each of which becomes a change
     */
    RunningJob start(long count, MapFunction<Long, CollectionElement> input) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(
                        parallelism, configuration(directory, parallelism));
        env.enableCheckpointing(checkpoints.toMillis());
        CollectionSink.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .direct()
                .set(
                        CollectionSinkOptions.STAGING_DIRECTORY,
                        directory.resolve("staging").toString())
                .build()
                .addTo(
                        env.fromSequence(0, count - 1)
                                .map(input)
                                .returns(Changes.TYPE)
                                .name("Generate"))
                .setParallelism(parallelism);
        return RunningJob.of("load", env.executeAsync("load"));
    }

    /** Merges and compaction beside it, on a cluster of their own in this process. */
    static RunningJob startMaintenance(WarehouseOptions warehouse, Path directory)
            throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(1, configuration(directory, 1));
        LoamMaintenance.builder()
                .warehouse(warehouse)
                .set(MaintenanceJobOptions.INTERVAL, Duration.ofSeconds(5))
                .set(
                        MaintenanceJobOptions.WORK_DIRECTORY,
                        directory.resolve("maintenance").toString())
                .build()
                .addTo(env)
                .sinkTo(new DiscardingSink<>());
        return RunningJob.of("maintenance", env.executeAsync("maintenance"));
    }
}
