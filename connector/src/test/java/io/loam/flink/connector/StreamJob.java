package io.loam.flink.connector;

import io.loam.flink.operators.CollectionElement;
import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** How an apply job is started; a new one is a start without state. */
class StreamJob {
    private final WarehouseOptions warehouse;
    private final Path directory;
    private final Configuration config = new Configuration();
    private final Configuration sinkOptions = new Configuration();
    private @Nullable CollectionSink built;
    private boolean bounded;
    private boolean acceptTopic;
    private int sourceParallelism = 2;
    private int sinkParallelism = 3;

    /**
     * @param directory for checkpoints and staging
     */
    StreamJob(WarehouseOptions warehouse, Path directory) {
        this.warehouse = warehouse;
        this.directory = directory;
        config.set(PipelineOptions.GENERIC_TYPES, false); // Kryo anywhere would fail the job
        config.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(300));
        config.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
        config.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
        config.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        sinkOptions.set(CollectionSinkOptions.BATCH_RECORDS, 50);
        sinkOptions.set(CollectionSinkOptions.UNIT_ROWS, 120);
        sinkOptions.set(
                CollectionSinkOptions.STAGING_DIRECTORY, directory.resolve("staging").toString());
    }

    /** Starts from a savepoint or a retained checkpoint; null for none. */
    StreamJob from(@Nullable String path) {
        if (path != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, path);
        }
        return this;
    }

    StreamJob bounded() {
        bounded = true;
        return this;
    }

    StreamJob acceptTopic() {
        acceptTopic = true;
        return this;
    }

    StreamJob withoutCheckpoints() {
        config.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
        return this;
    }

    StreamJob parallelism(int source, int sink) {
        sourceParallelism = source;
        sinkParallelism = sink;
        return this;
    }

    <T> StreamJob set(ConfigOption<T> option, T value) {
        config.set(option, value);
        return this;
    }

    <T> StreamJob setSink(ConfigOption<T> option, T value) {
        sinkOptions.set(option, value);
        return this;
    }

    /** Builds the sink now, from what the collection is, instead of at the start. */
    StreamJob buildSink() throws IOException {
        built = sink();
        return this;
    }

    JobClient start() throws Exception {
        StreamExecutionEnvironment env = environment();
        DataStream<CollectionElement> elements =
                elements(env)
                        .map(new FailOnce())
                        .returns(CollectionElement.TYPE)
                        .setParallelism(sourceParallelism);
        CollectionSink sink = built != null ? built : sink();
        sink.addTo(elements).setParallelism(sinkParallelism);
        return env.executeAsync("apply");
    }

    DataStream<CollectionElement> elements(StreamExecutionEnvironment env) throws IOException {
        return source().addTo(env);
    }

    boolean isBounded() {
        return bounded;
    }

    StreamExecutionEnvironment environment() {
        return StreamExecutionEnvironment.getExecutionEnvironment(config);
    }

    ImplicitStreamSource source() throws IOException {
        return ImplicitStreamSource.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .bootstrapServers(SharedCluster.broker().servers())
                .bounded(bounded)
                .acceptTopic(acceptTopic)
                .parallelism(sourceParallelism)
                .build();
    }

    CollectionSink sink() throws IOException {
        return CollectionSink.builder()
                .warehouse(warehouse)
                .collection("default", "docs")
                .options(sinkOptions)
                .build();
    }
}
