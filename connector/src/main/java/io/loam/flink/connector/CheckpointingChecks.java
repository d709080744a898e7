package io.loam.flink.connector;

import io.loam.flink.operators.CheckpointingRules;

import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

/** Refuses a graph whose checkpoints would not hold what manifests claim. */
final class CheckpointingChecks {
    private CheckpointingChecks() {}

    static void check(DataStream<?> input) {
        CheckpointingRules.checkGraph(
                input.getExecutionEnvironment().getConfiguration(),
                isBounded(input.getTransformation()));
    }

    private static boolean isBounded(Transformation<?> transformation) {
        return transformation.getTransitivePredecessors().stream()
                .filter(predecessor -> predecessor.getInputs().isEmpty())
                .allMatch(
                        source ->
                                source instanceof WithBoundedness bounded
                                        && bounded.getBoundedness() == Boundedness.BOUNDED);
    }
}
