package io.loam.store.sim;

import io.loam.codec.Ulid;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.List;

/** One submission of the job: one incarnation, over all its restarts. */
final class Job {
    final String name;
    final Ulid incarnation;
    final boolean takeOver;

    /** What the submission was started from, null for nothing. */
    @Nullable final Snapshot savepoint;

    final List<Snapshot> completed = new ArrayList<>();
    long nextCheckpoint;
    @Nullable Attempt attempt;

    /** Why it is not restarted any more. */
    @Nullable String ended;

    private int attempts;

    Job(String name, Ulid incarnation, boolean takeOver, @Nullable Snapshot savepoint) {
        this.name = name;
        this.incarnation = incarnation;
        this.takeOver = takeOver;
        this.savepoint = savepoint;
        this.nextCheckpoint = savepoint == null ? 1 : savepoint.checkpoint() + 1;
    }

    String owner() {
        return "writer/" + incarnation;
    }

    boolean isRunning() {
        return attempt != null && !attempt.dead;
    }

    /** What an attempt starts from. */
    @Nullable
    Snapshot newest() {
        return completed.isEmpty() ? savepoint : completed.get(completed.size() - 1);
    }

    String nextAttemptName() {
        return name + "#" + ++attempts;
    }
}
