package io.loam.store.maintain;

import io.loam.store.maintain.MaintenanceOutcome.Result;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * What a round did.
 *
 * @param version that it published; 0 if none
 * @param tasks in the order of the plan
 * @param held owners of leases that kept it from planning tasks, in words
 */
public record RoundReport(long version, List<TaskReport> tasks, List<String> held)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    public RoundReport {
        tasks = List.copyOf(tasks);
        held = List.copyOf(held);
    }

    /** What became of a task. */
    public enum Status {
        PUBLISHED,
        /** It does not fit any more; the next round looks anew. */
        ABANDONED,
        /** It is done and could not be published; the next round does it again. */
        BLOCKED,
        FAILED
    }

    /**
     * One task.
     *
     * @param text what it did, or why not
     */
    public record TaskReport(MaintenanceTask task, Status status, String text)
            implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Joins what came of running the tasks with what came of publishing their works.
     *
     * @param outcome of the works of the results, in their order
     */
    public static RoundReport of(
            List<TaskResult> results, MaintenanceOutcome outcome, List<String> held) {
        Iterator<Result> works = outcome.works().iterator();
        List<TaskReport> tasks = new ArrayList<>();
        for (TaskResult result : results) {
            tasks.add(
                    result.work() == null
                            ? new TaskReport(
                                    result.task(),
                                    result.obsolete() ? Status.ABANDONED : Status.FAILED,
                                    result.problem())
                            : published(result.task(), works.next()));
        }
        return new RoundReport(outcome.version(), tasks, held);
    }

    private static TaskReport published(MaintenanceTask task, Result result) {
        Status status =
                switch (result.fate()) {
                    case PUBLISHED -> Status.PUBLISHED;
                    case ABANDONED -> Status.ABANDONED;
                    case BLOCKED -> Status.BLOCKED;
                };
        return new TaskReport(task, status, result.text());
    }

    /** Whether another round is worth its while at once: this one changed something. */
    public boolean progressed() {
        return version != 0;
    }

    /** How many tasks ended so. */
    public long count(Status status) {
        return tasks.stream().filter(task -> task.status() == status).count();
    }
}
