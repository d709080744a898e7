package io.loam.jobs;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs {@link ApplyCollectionJob} in this JVM on an embedded Flink cluster. It keeps no state over
 * runs: a start without state rebuilds the key index from the collection.
 */
public final class LocalApply {
    private final Map<String, String> parameters = new HashMap<>();
    private final Configuration config = new Configuration();
    private final String collection;

    public LocalApply(
            WarehouseOptions warehouse, String namespace, String collection, String brokers) {
        this.collection = collection;
        parameters.putAll(ApplyParameters.of(warehouse, namespace, collection, brokers));
        config.set(DeploymentOptions.TARGET, "local");
        config.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofSeconds(1));
        config.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 0);
    }

    /** Sets a parameter of {@link ApplyCollectionJob}. */
    public LocalApply parameter(String name, String value) {
        parameters.put(name, value);
        return this;
    }

    /** Sets an option of Flink. */
    public LocalApply flink(String key, String value) {
        config.setString(key, value);
        return this;
    }

    public LocalApply parallelism(int parallelism) {
        config.set(TaskManagerOptions.NUM_TASK_SLOTS, parallelism);
        config.setString("parallelism.default", Integer.toString(parallelism));
        return this;
    }

    public LocalApply checkpointDirectory(Path directory) {
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        return this;
    }

    /** Submits the job. */
    public JobClient start() throws Exception {
        return environment().executeAsync("loam apply " + collection);
    }

    /** Runs the job to its end; fails with the job's own failure. */
    public void run() throws Exception {
        start().getJobExecutionResult().get();
    }

    private StreamExecutionEnvironment environment() throws IOException {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        ApplyCollectionJob.build(env, ParameterTool.fromMap(parameters));
        return env;
    }
}
