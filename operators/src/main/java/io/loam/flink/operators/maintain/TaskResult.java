package io.loam.flink.operators.maintain;

import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceTask;

import org.apache.flink.annotation.Internal;

import javax.annotation.Nullable;

import java.io.Serializable;

/**
 * What came of a task.
 *
 * @param work null if it failed or was not to be done any more
 * @param problem why there is no work, null if there is
 * @param obsolete whether it was not to be done any more
 */
@Internal
public record TaskResult(
        String round,
        MaintenanceTask task,
        @Nullable FinishedWork work,
        @Nullable String problem,
        boolean obsolete)
        implements Serializable {
    private static final long serialVersionUID = 1L;
}
