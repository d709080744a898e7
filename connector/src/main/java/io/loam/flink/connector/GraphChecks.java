package io.loam.flink.connector;

import io.loam.flink.operators.CheckpointingRules;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

import java.util.stream.Stream;

/**
 * What kind of graph a sink is added to; refuses one whose manifests would not hold what they
 * claim.
 */
final class GraphChecks {
    private GraphChecks() {}

    static void check(DataStream<?> input) {
        StreamExecutionEnvironment env = input.getExecutionEnvironment();
        if (isBatch(input)) {
            CheckpointingRules.checkBatchGraph(env.getConfiguration());
        } else {
            CheckpointingRules.checkGraph(
                    env.getConfiguration(), isBounded(Stream.of(input.getTransformation())));
        }
    }

    /** Whether the graph will run in batch execution; AUTOMATIC asks all of the graph's sources. */
    static boolean isBatch(DataStream<?> stream) {
        StreamExecutionEnvironment env = stream.getExecutionEnvironment();
        RuntimeExecutionMode mode = env.getConfiguration().get(ExecutionOptions.RUNTIME_MODE);
        return mode == RuntimeExecutionMode.BATCH
                || (mode == RuntimeExecutionMode.AUTOMATIC
                        && isBounded(
                                Stream.concat(
                                        Stream.of(stream.getTransformation()),
                                        env.getTransformations().stream())));
    }

    private static boolean isBounded(Stream<? extends Transformation<?>> ends) {
        return ends.flatMap(end -> end.getTransitivePredecessors().stream())
                .filter(predecessor -> predecessor.getInputs().isEmpty())
                .allMatch(
                        source ->
                                source instanceof WithBoundedness bounded
                                        && bounded.getBoundedness() == Boundedness.BOUNDED);
    }
}
