package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.flink.operators.FaultCell.Outcome;
import io.loam.flink.operators.FaultCell.Target;
import io.loam.flink.operators.FaultCell.Way;
import io.loam.flink.operators.FaultJob.Snapshot;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.FencedException;
import io.loam.store.verify.VerifyReport;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a job through some steps of the log; when an attempt fails, the stores heal and the job is
 * restarted from its newest completed checkpoint, as Flink would.
 */
final class FaultRun {
    private static final int STEPS = 5;
    private static final int OLD_STEP = 2;

    /** After this a unit's objects are looked up before it is published. */
    private static final long LATE_MS = Duration.ofMinutes(40).toMillis();

    /**
     * Where a way begins.
     *
     * @param restored null for a start without state
     */
    record Start(FaultWorld world, Ulid incarnation, @Nullable Snapshot restored, int firstStep) {

        /** Makes what the way begins with; nothing fails meanwhile. */
        static Start of(Way way, Path directory) throws Exception {
            Start start = new Start(FaultWorld.empty(), new Ulid(1, 1), null, 0);
            if (way == Way.APPLY) {
                return start;
            }
            boolean killed = way == Way.RESTART;
            Snapshot old = null;
            FaultJob job = new FaultJob(start.world(), start.incarnation(), directory);
            job.open(null);
            for (int step = 0; step < STEPS; step++) {
                Snapshot taken = job.checkpoint(step);
                old = step == OLD_STEP || killed ? taken : old;
                if (!killed || step < STEPS - 1) {
                    job.complete();
                }
            }
            if (killed) {
                job.kill();
                return new Start(start.world(), start.incarnation(), old, STEPS);
            }
            job.close();
            return new Start(start.world(), new Ulid(2, 2), way == Way.REPAIR ? old : null, STEPS);
        }
    }

    private final FaultWorld world;
    private final Path directory;
    private final int end;
    private Ulid incarnation;
    private @Nullable Snapshot last;
    private int step;
    private List<String> operations = List.of();
    private @Nullable Exception failure;

    FaultRun(Start start, FaultWorld world, Path directory) {
        this.world = world;
        this.directory = directory;
        this.incarnation = start.incarnation();
        this.last = start.restored();
        this.step = start.firstStep();
        this.end = start.firstStep() + STEPS;
    }

    /** What made the first attempt fail. */
    @Nullable
    Exception failure() {
        return failure;
    }

    /** What the first attempt asked the stores for. */
    List<String> operations() {
        return operations;
    }

    /** The same, counted. */
    Map<Target, Integer> counts() {
        Map<Target, Integer> counts = new EnumMap<>(Target.class);
        for (Target target : Target.values()) {
            counts.put(target, (int) operations.stream().filter(target::matches).count());
        }
        return counts;
    }

    /**
     * Runs to the end, however often it takes; what became of the first attempt, whose getting over
     * a fault shows in {@link #counts} only.
     */
    Outcome run() throws Exception {
        failure = attempt();
        world.faults.heal();
        operations = world.faults.operations();
        if (failure == null) {
            verifyEnd();
            return Outcome.NO_EFFECT;
        }
        verify();
        Exception again = isFinal(failure) ? failure : attempt();
        if (again != null) {
            verify();
            incarnation = new Ulid(3, 3);
            last = null;
            Exception third = attempt();
            if (third != null) {
                throw new AssertionError("even a start without state fails", third);
            }
        }
        verifyEnd();
        return again == null ? Outcome.RETRYABLE : Outcome.FATAL;
    }

    private static boolean isFinal(Exception failure) {
        return failure instanceof CommitRefusedException || failure instanceof FencedException;
    }

    @Nullable
    private Exception attempt() throws Exception {
        FaultJob job = new FaultJob(world, incarnation, directory);
        try {
            job.open(last);
            while (step < end) {
                last = job.checkpoint(step);
                step++;
                if (step == end - 2) {
                    world.clockMs.addAndGet(LATE_MS);
                }
                job.complete();
            }
        } catch (Exception e) {
            closeFailed(job, e);
            return e;
        }
        try {
            job.close();
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    private static void closeFailed(FaultJob job, Exception failure) {
        try {
            job.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    VerifyReport verify() throws IOException {
        VerifyReport report = world.verify();
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
        return report;
    }

    private void verifyEnd() throws IOException {
        assertThat(verify().keys()).isPositive();
        try (CollectionHandle handle = world.handle()) {
            List<Long> ends = List.of(FaultWorld.end(end - 1, 0), FaultWorld.end(end - 1, 1));
            assertThat(handle.live().manifest().applied())
                    .containsEntry(0, ends.get(0))
                    .containsEntry(1, ends.get(1));
        }
    }
}
