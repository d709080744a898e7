package io.loam.store.maintain;

import java.util.List;

/**
 * What a round did.
 *
 * @param version that it published; 0 if none
 * @param tasks in the order of the plan
 * @param held owners of leases that kept it from planning tasks, in words
 */
public record RoundReport(long version, List<TaskReport> tasks, List<String> held) {
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
    public record TaskReport(MaintenanceTask task, Status status, String text) {}

    /** Whether another round is worth its while at once: this one changed something. */
    public boolean progressed() {
        return version != 0;
    }

    /** How many tasks ended so. */
    public long count(Status status) {
        return tasks.stream().filter(task -> task.status() == status).count();
    }
}
