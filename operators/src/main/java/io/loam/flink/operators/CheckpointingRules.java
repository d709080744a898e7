package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

import java.util.List;

/**
 * Settings under which a manifest would claim offsets it does not hold, or the last records would
 * never be committed. They are refused when the graph is built and again when operators open, as
 * the cluster may add settings of its own.
 */
@Internal
public final class CheckpointingRules {
    private CheckpointingRules() {}

    /**
     * Checks the settings a graph is built with.
     *
     * @param bounded whether every source ends by itself
     * @throws IllegalArgumentException naming the option to change
     */
    public static void checkGraph(ReadableConfig config, boolean bounded) {
        boolean checkpoints = isCheckpointing(config);
        if (!checkpoints && !bounded) {
            throw new IllegalArgumentException(
                    "an unbounded input is committed by checkpoints only; set "
                            + CheckpointingOptions.CHECKPOINTING_INTERVAL.key());
        }
        if (checkpoints) {
            checkMode(
                    config.get(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE),
                    config.get(CheckpointingOptions.ENABLE_UNALIGNED),
                    config.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH));
        }
    }

    /**
     * Checks the settings a graph for batch execution is built with. Checkpoints play no part
     * there; the order of a key's operations is in the runtime's sort.
     *
     * @throws IllegalArgumentException naming the option to change
     */
    public static void checkBatchGraph(ReadableConfig config) {
        for (ConfigOption<Boolean> option :
                List.of(ExecutionOptions.SORT_INPUTS, ExecutionOptions.USE_BATCH_STATE_BACKEND)) {
            if (!config.get(option)) {
                throw new IllegalArgumentException(
                        "batch execution brings the operations of a key together by sorting: set "
                                + option.key()
                                + "=true");
            }
        }
    }

    private static boolean isCheckpointing(ReadableConfig config) {
        return config.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL)
                .map(interval -> interval.toMillis() > 0)
                .orElse(false);
    }

    /** Checks the settings an operator really runs with. */
    static void checkRunning(AbstractStreamOperator<?> operator) {
        Configuration job = operator.getContainingTask().getEnvironment().getJobConfiguration();
        if (isCheckpointing(job)) {
            checkMode(
                    job.get(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE),
                    job.get(CheckpointingOptions.ENABLE_UNALIGNED),
                    job.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH));
        }
    }

    private static void checkMode(
            CheckpointingMode mode, boolean unaligned, boolean afterTasksFinish) {
        if (mode != CheckpointingMode.EXACTLY_ONCE) {
            throw new IllegalArgumentException(
                    "records would be counted as applied before they are: set "
                            + CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE.key()
                            + "=EXACTLY_ONCE, not "
                            + mode);
        }
        if (unaligned) {
            throw new IllegalArgumentException(
                    "unaligned checkpoints let progress overtake the records it covers: set "
                            + CheckpointingOptions.ENABLE_UNALIGNED.key()
                            + "=false");
        }
        if (!afterTasksFinish) {
            throw new IllegalArgumentException(
                    "without a checkpoint after the last record, that record is never committed:"
                            + " set "
                            + CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH.key()
                            + "=true");
        }
    }
}
