package io.loam.bench.ingest;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.nio.file.Path;
import java.time.Duration;

/** Flink as every sink gets it: embedded, checkpoints on disk, no restarts. */
final class BenchJob {
    private BenchJob() {}

    static StreamExecutionEnvironment environment(
            Path directory, int parallelism, Duration checkpoints) {
        Configuration config = new Configuration();
        config.set(DeploymentOptions.TARGET, "local");
        config.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoints);
        config.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 0);
        config.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        config.set(TaskManagerOptions.NUM_TASK_SLOTS, parallelism);
        config.setString("parallelism.default", Integer.toString(parallelism));
        config.setString("pipeline.object-reuse", "false");
        return StreamExecutionEnvironment.getExecutionEnvironment(config);
    }
}
