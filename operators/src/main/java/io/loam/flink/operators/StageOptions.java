package io.loam.flink.operators;

import io.loam.store.commit.CommitMode;

import org.apache.flink.annotation.Internal;

import javax.annotation.Nullable;

import java.io.Serializable;

/**
 * How records are staged.
 *
 * @param mode where the records come from
 * @param batchBytes bytes of keys and values at which a batch is sealed
 * @param batchRecords records at which a batch is sealed
 * @param unitBytes bytes of source JSON and dead letters at which a unit is closed
 * @param unitRows rows at which a unit is closed
 * @param queuedBatches sealed batches that may wait for the builder
 * @param failOnLetter whether a record that cannot be applied fails the job instead of becoming a
 *     dead letter
 * @param directory where units are built; null for the task manager's temporary directories
 */
@Internal
public record StageOptions(
        CommitMode mode,
        long batchBytes,
        int batchRecords,
        long unitBytes,
        long unitRows,
        int queuedBatches,
        boolean failOnLetter,
        @Nullable String directory)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public StageOptions {
        requirePositive("bytes of a batch", batchBytes);
        requirePositive("records of a batch", batchRecords);
        requirePositive("bytes of a unit", unitBytes);
        requirePositive("rows of a unit", unitRows);
        requirePositive("number of queued batches", queuedBatches);
    }

    private static void requirePositive(String what, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("the " + what + " must be positive, not " + value);
        }
    }
}
