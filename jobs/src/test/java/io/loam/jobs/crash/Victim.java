package io.loam.jobs.crash;

/** A process to kill. */
enum Victim {
    /** The one that is held, or any. */
    TASK_MANAGER("TaskManager"),
    JOB_MANAGER("JobManager"),
    DATABASE("database");

    private final String label;

    Victim(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
