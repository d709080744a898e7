package io.loam.flink.connector;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GraphChecksTest {
    private final Configuration config =
            new Configuration()
                    .set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.STREAMING)
                    .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(10));

    private DataStream<?> bounded() {
        return StreamExecutionEnvironment.getExecutionEnvironment(config)
                .fromSource(
                        new NumberSequenceSource(0, 9), WatermarkStrategy.noWatermarks(), "numbers")
                .map(number -> number)
                .returns(Types.LONG);
    }

    private DataStream<?> unbounded() {
        return StreamExecutionEnvironment.getExecutionEnvironment(config)
                .fromSource(
                        KafkaSource.<io.loam.flink.operators.LogRecord>builder()
                                .setBootstrapServers("localhost:1")
                                .setTopics("t")
                                .setDeserializer(new LogRecordDeserializer())
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "log");
    }

    private static void assertRefused(DataStream<?> input, ConfigOption<?> option) {
        assertThatThrownBy(() -> GraphChecks.check(input))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option.key());
    }

    @Test
    void acceptsAlignedExactlyOnceCheckpoints() {
        assertThatCode(() -> GraphChecks.check(unbounded())).doesNotThrowAnyException();
        assertThatCode(() -> GraphChecks.check(bounded())).doesNotThrowAnyException();
    }

    @Test
    void refusesUnalignedCheckpoints() {
        config.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
        assertRefused(unbounded(), CheckpointingOptions.ENABLE_UNALIGNED);
    }

    @Test
    void refusesAtLeastOnce() {
        config.set(
                CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
                CheckpointingMode.AT_LEAST_ONCE);
        assertRefused(unbounded(), CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE);
    }

    @Test
    void refusesToEndWithoutALastCheckpoint() {
        config.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
        assertRefused(bounded(), CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH);
    }

    @Test
    void refusesAnUnboundedInputWithoutCheckpoints() {
        config.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
        assertRefused(unbounded(), CheckpointingOptions.CHECKPOINTING_INTERVAL);
        assertThatCode(() -> GraphChecks.check(bounded())).doesNotThrowAnyException();
    }

    @Test
    void automaticIsBatchIfEverySourceOfTheGraphIsBounded() {
        assertThat(GraphChecks.isBatch(bounded())).isFalse();
        config.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.AUTOMATIC);
        assertThat(GraphChecks.isBatch(bounded())).isTrue();
        assertThat(GraphChecks.isBatch(unbounded())).isFalse();
        assertThat(GraphChecks.isBatch(besideAnUnboundedOne())).isFalse();
        config.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
        assertThat(GraphChecks.isBatch(bounded())).isTrue();
    }

    /** A bounded stream whose environment also has an unbounded one that ends elsewhere. */
    private DataStream<?> besideAnUnboundedOne() {
        DataStream<?> other = unbounded();
        other.sinkTo(new DiscardingSink<>());
        return other.getExecutionEnvironment()
                .fromSource(
                        new NumberSequenceSource(0, 9), WatermarkStrategy.noWatermarks(), "numbers")
                .map(number -> number)
                .returns(Types.LONG);
    }

    @Test
    void batchExecutionNeedsNoCheckpointsButTheSort() {
        config.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
        config.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
        assertThatCode(() -> GraphChecks.check(bounded())).doesNotThrowAnyException();
        config.set(ExecutionOptions.USE_BATCH_STATE_BACKEND, false);
        assertRefused(bounded(), ExecutionOptions.USE_BATCH_STATE_BACKEND);
        config.set(ExecutionOptions.SORT_INPUTS, false);
        assertRefused(bounded(), ExecutionOptions.SORT_INPUTS);
    }
}
