package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.testing.Campaign;
import io.loam.flink.operators.FaultJob.Snapshot;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.verify.VerifyReport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checkpoints of a whole job that are in flight at the same time, complete without anybody being
 * told, are aborted, or are restored from: every order of a few such events.
 *
 * <pre>
 * c  a checkpoint of some more records begins
 * o  the oldest in flight completes, everybody is told
 * n  the newest in flight completes, everybody is told; older ones are given up
 * l  the newest in flight completes, the notification is lost
 * t  the notification that was lost comes after all, or a second time
 * a  the oldest in flight is aborted, everybody is told
 * q  the oldest in flight is aborted, nobody is told
 * r  the job fails and restarts from the newest completed checkpoint
 * </pre>
 */
class CheckpointOrderTest {
    private static final int LENGTH = Campaign.size(4, 5);

    @TempDir Path directory;

    /** One order of events. */
    private final class Run {
        private final FaultWorld world;
        private final Ulid incarnation = new Ulid(1, 1);
        private final Deque<Snapshot> inFlight = new ArrayDeque<>();
        private FaultJob job;
        private @Nullable Snapshot completed;
        private int step;
        private long lastCheckpoint;

        Run(FaultWorld world) throws Exception {
            this.world = world;
            restart();
        }

        private void restart() throws Exception {
            job = new FaultJob(world, incarnation, directory);
            job.open(completed);
            job.countFrom(lastCheckpoint);
            inFlight.clear();
        }

        void happens(char event) throws Exception {
            switch (event) {
                case 'c' -> {
                    Snapshot taken = job.checkpoint(step++);
                    lastCheckpoint = taken.checkpoint();
                    inFlight.addLast(taken);
                }
                case 'o' -> {
                    completed = inFlight.removeFirst();
                    job.complete(completed.checkpoint());
                }
                case 'n' -> {
                    completeNewest();
                    job.complete(completed.checkpoint());
                }
                case 'l' -> completeNewest();
                case 't' -> job.complete(completed.checkpoint());
                case 'a' -> job.abort(inFlight.removeFirst().checkpoint());
                case 'q' -> inFlight.removeFirst();
                case 'r' -> {
                    job.kill();
                    restart();
                }
                default -> throw new IllegalArgumentException("no event " + event);
            }
            requireNothingEarly();
        }

        private void completeNewest() {
            completed = inFlight.removeLast();
            inFlight.clear();
        }

        /** Nothing of a checkpoint that is not complete may be seen. */
        private void requireNothingEarly() throws IOException {
            long newest = completed == null ? 0 : completed.checkpoint();
            assertThat(published()).allMatch(checkpoint -> checkpoint <= newest);
        }

        private List<Long> published() throws IOException {
            List<Long> checkpoints = new ArrayList<>();
            try (CollectionHandle handle = world.handle()) {
                for (ManifestChain.Link link : ManifestChain.of(handle).retained()) {
                    checkpoints.add(
                            ManifestProperties.number(
                                    link.manifest().properties(), ManifestProperties.CHECKPOINT));
                }
            }
            return checkpoints;
        }

        /** The input ends, its final checkpoint completes. */
        void end() throws Exception {
            Snapshot last = job.finish(step);
            job.complete(last.checkpoint());
            job.close();
            VerifyReport report = world.verify();
            assertThat(report.violations()).isEmpty();
            assertThat(report.skipped()).isEmpty();
            try (CollectionHandle handle = world.handle()) {
                assertThat(handle.live().manifest().applied())
                        .containsEntry(0, FaultWorld.end(step, 0))
                        .containsEntry(1, FaultWorld.end(step, 1));
            }
        }
    }

    @Test
    void everyOrderOfEventsMakesTheSameCollection() throws Exception {
        int orders = playAll("", 0, false);
        System.out.println(orders + " orders of " + LENGTH + " events of checkpoints");
        assertThat(orders).isGreaterThan(100);
    }

    /**
     * Plays all orders that begin like this.
     *
     * @param inFlight checkpoints in flight by then
     * @param completed whether any checkpoint was ever complete
     * @return how many orders there were
     */
    private int playAll(String begun, int inFlight, boolean completed) throws Exception {
        if (begun.length() == LENGTH) {
            play(begun);
            return 1;
        }
        int orders = playAll(begun + 'c', inFlight + 1, completed);
        orders += playAll(begun + 'r', 0, completed);
        if (completed) {
            orders += playAll(begun + 't', inFlight, true);
        }
        if (inFlight > 0) {
            orders += playAll(begun + 'o', inFlight - 1, true);
            orders += playAll(begun + 'n', 0, true);
            orders += playAll(begun + 'l', 0, true);
            orders += playAll(begun + 'a', inFlight - 1, completed);
            orders += playAll(begun + 'q', inFlight - 1, completed);
        }
        return orders;
    }

    private void play(String events) throws Exception {
        try (FaultWorld world = FaultWorld.empty()) {
            Run run = new Run(world);
            for (char event : events.toCharArray()) {
                run.happens(event);
            }
            run.end();
        } catch (Throwable e) {
            throw new AssertionError("order of events: " + events, e);
        }
    }
}
