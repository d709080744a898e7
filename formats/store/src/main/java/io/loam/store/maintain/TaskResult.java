package io.loam.store.maintain;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Serializable;

/**
 * What came of running a task.
 *
 * @param work null if it failed or was not to be done any more
 * @param problem why there is no work, empty if there is
 * @param obsolete whether it was not to be done any more
 */
public record TaskResult(
        MaintenanceTask task, @Nullable FinishedWork work, String problem, boolean obsolete)
        implements Serializable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskResult.class);
    private static final long serialVersionUID = 1L;

    /**
     * Runs a task. What happens to it is its result.
     *
     * @throws InterruptedIOException if the thread was interrupted
     */
    public static TaskResult of(MaintenanceTask task, TaskRunner runner)
            throws InterruptedIOException {
        try {
            return new TaskResult(task, runner.run(task), "", false);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (ObsoleteTaskException e) {
            return new TaskResult(task, null, e.getMessage(), true);
        } catch (IOException | RuntimeException e) {
            return failed(task, e);
        }
    }

    /** The result of a task that could not be run at all. */
    public static TaskResult failed(MaintenanceTask task, Exception e) {
        LOG.warn("{} failed; the next round tries again", task.describe(), e);
        return new TaskResult(task, null, e.toString(), false);
    }
}
