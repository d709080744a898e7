package io.loam.store.sim;

import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.FencedException;
import io.loam.store.sim.Scheduler.Actor;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One attempt of a job: a staging process and a committing process, and what lies between. */
final class Attempt {
    private final World world;
    final Job job;
    @Nullable final Snapshot restored;

    /** Not acknowledged by the committer yet. */
    final List<CollectionCommittable> pending = new ArrayList<>();

    /** Completed checkpoints the committer has been told of. */
    final Deque<Long> notified = new ArrayDeque<>();

    /** The job has given it up; its processes may not know. */
    boolean dead;

    private final Actor stage;
    private final Actor commit;

    Attempt(World world, Job job) {
        this.world = world;
        this.job = job;
        this.restored = job.newest();
        if (restored != null) {
            pending.addAll(restored.pending());
        }
        String name = job.nextAttemptName();
        world.scheduler.note(
                name
                        + (restored == null
                                ? " from nothing"
                                : " from checkpoint "
                                        + restored.checkpoint()
                                        + " of "
                                        + restored.incarnation()));
        this.stage =
                world.scheduler.spawn(
                        name + ".stage", () -> watch(() -> new StageProcess(world, this).run()));
        this.commit =
                world.scheduler.spawn(
                        name + ".commit", () -> watch(() -> new CommitProcess(world, this).run()));
    }

    long restoredCheckpoint() {
        return restored == null ? 0 : restored.checkpoint();
    }

    private interface Work {
        void run() throws IOException;
    }

    private void watch(Work work) {
        try {
            work.run();
        } catch (CommitRefusedException | FencedException e) {
            world.scheduler.note("  " + e.getMessage());
            job.ended = job.ended == null ? e.getMessage() : job.ended;
            fail();
        } catch (IOException e) {
            world.scheduler.note("  fails: " + e.getMessage());
            fail();
        }
    }

    /** The job restarts; the other process is stopped, or lives on as a zombie. */
    private void fail() {
        if (!dead) {
            dead = true;
            if (world.random.nextInt(3) > 0) {
                stage.kill();
                commit.kill();
            }
        }
    }

    /** The whole attempt dies with its machine. */
    void crash() {
        dead = true;
        stage.kill();
        commit.kill();
    }

    /** The job takes it for dead, but its processes go on. */
    void isolate() {
        dead = true;
        world.scheduler.note(job.name + " loses touch with its attempt");
    }

    /** A snapshot was taken everywhere; the checkpoint may still be declined. */
    void complete(Snapshot snapshot) {
        boolean declined = !world.isPeace() && world.random.nextInt(7) == 0;
        if (dead || declined) {
            return;
        }
        job.completed.add(snapshot);
        world.scheduler.note("  checkpoint " + snapshot.checkpoint() + " is complete");
        boolean lost = !world.isPeace() && world.random.nextInt(15) == 0;
        if (!lost) {
            notified.add(snapshot.checkpoint());
        }
    }
}
