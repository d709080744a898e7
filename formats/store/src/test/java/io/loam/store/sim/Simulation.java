package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcPlan;
import io.loam.store.gc.SimulatedCollector;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static io.loam.store.sim.Violation.require;

/**
 * One run. First everything at once: jobs that are started from the newest, an old or no state,
 * crash, are cut off and live on, rival each other; maintenance; two collectors; faults; a clock
 * that leaps by days. Then peace: one job applies what is left, and all must be right.
 */
final class Simulation {
    private static final int STEPS = 1200;
    private static final int MOST_JOBS = 10;

    /** The oracle has checked every version already; the verifier takes threads of its own. */
    private static final int VERIFY_ONE_IN = 4;

    private static final int DRAIN_SLICES = 80;
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    private final World world;
    private final Scheduler scheduler;
    private final Random random;
    private final List<Job> jobs = new ArrayList<>();
    private int attempts;
    private long deleted;

    /**
     * How a run ended.
     *
     * @param failure null if nothing was wrong
     */
    record Result(
            List<String> trace,
            @Nullable Throwable failure,
            int steps,
            int versions,
            int jobs,
            int attempts,
            long refused) {}

    private Simulation(World world) {
        this.world = world;
        this.scheduler = world.scheduler;
        this.random = world.random;
    }

    static Result run(long seed, Mutant mutant, Path parent) {
        try {
            Path dir = Files.createTempDirectory(parent, "seed-");
            try {
                return run(new World(seed, mutant, dir));
            } finally {
                LocalFiles.delete(dir);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("seed " + seed, e);
        }
    }

    private static Result run(World world) {
        Simulation simulation = new Simulation(world);
        Throwable failure = simulation.run();
        return new Result(
                world.scheduler.trace(),
                failure,
                world.scheduler.steps(),
                world.oracle.versions(),
                simulation.jobs.size(),
                simulation.attempts,
                simulation.jobs.stream()
                        .filter(job -> job.ended != null && !job.ended.equals("cancelled"))
                        .count());
    }

    @Nullable
    private Throwable run() {
        try {
            scheduler.spawn("merger-a", new MaintenanceProcess(world, "a")::run);
            if (random.nextInt(3) == 0) {
                scheduler.spawn("merger-b", new MaintenanceProcess(world, "b")::run);
            }
            scheduler.spawn("gc-a", new CollectorProcess(world, "a")::run);
            scheduler.spawn("gc-b", new CollectorProcess(world, "b")::run);
            scheduler.spawn("tagger", new TaggerProcess(world)::run);
            scheduler.chaos(this::chaos);
            scheduler.run(STEPS);
            scheduler.killAll();
            if (scheduler.failure() == null) {
                drain();
            }
            if (scheduler.failure() == null) {
                finish();
            }
            return scheduler.failure();
        } catch (Violation | IOException e) {
            return e;
        } finally {
            scheduler.killAll();
        }
    }

    private void chaos() {
        if (random.nextInt(12) == 0) {
            world.model.produce(random);
        }
        if (random.nextInt(250) == 0) {
            leap(3 * HOUR_MS);
        }
        if (random.nextInt(500) == 0) {
            leap(3 * DAY_MS);
        }
        for (Job job : jobs) {
            if (job.ended == null) {
                disturb(job);
            }
        }
        boolean active = jobs.stream().anyMatch(job -> job.ended == null);
        if (jobs.size() < MOST_JOBS && random.nextInt(active ? 500 : 15) == 0) {
            submit();
        }
    }

    private void leap(long mostMs) {
        long ms = (long) (random.nextDouble() * mostMs);
        scheduler.advance(ms);
        scheduler.note("the clock leaps " + Duration.ofMillis(ms));
    }

    private void disturb(Job job) {
        if (!job.isRunning()) {
            if (random.nextInt(20) == 0) {
                start(job);
            }
        } else if (random.nextInt(300) == 0) {
            job.attempt.crash();
        } else if (random.nextInt(400) == 0) {
            job.attempt.isolate();
        } else if (random.nextInt(600) == 0) {
            job.ended = "cancelled";
            job.attempt.crash();
        }
    }

    private void start(Job job) {
        attempts++;
        job.attempt = new Attempt(world, job);
    }

    private void submit() {
        List<Snapshot> completed = jobs.stream().flatMap(job -> job.completed.stream()).toList();
        Snapshot from = null;
        if (!completed.isEmpty() && random.nextInt(3) > 0) {
            int back = random.nextBoolean() ? 0 : random.nextInt(completed.size());
            from = completed.get(completed.size() - 1 - back);
        }
        start(newJob(from, random.nextInt(5) < 3));
    }

    private Job newJob(@Nullable Snapshot from, boolean takeOver) {
        Ulid incarnation = Ulid.of(scheduler.nowMs(), random.nextInt(1 << 16), random.nextLong());
        Job job = new Job("job" + (jobs.size() + 1), incarnation, takeOver, from);
        jobs.add(job);
        return job;
    }

    /** Half of the runs end with the last job going on, if it may; the others start anew. */
    private void drain() {
        world.makePeace();
        Job last = jobs.isEmpty() ? null : jobs.get(jobs.size() - 1);
        if (last != null && last.newest() != null && random.nextBoolean()) {
            drain(newJob(last.newest(), true));
        }
        if (scheduler.failure() == null && !isDrained()) {
            Job fresh = newJob(null, true);
            drain(fresh);
            require(
                    scheduler.failure() != null || isDrained(),
                    "a fresh job does not get through: "
                            + fresh.ended
                            + ", applied "
                            + world.oracle.live().applied());
        }
    }

    private void drain(Job job) {
        start(job);
        scheduler.chaos(
                () -> {
                    if (job.ended == null && !job.isRunning()) {
                        start(job);
                    }
                });
        for (int slice = 0; slice < DRAIN_SLICES && !isDrained() && job.ended == null; slice++) {
            scheduler.run(50);
            if (scheduler.failure() != null) {
                return;
            }
        }
        scheduler.killAll();
    }

    private boolean isDrained() {
        CollectionManifest live = world.oracle.live();
        for (int p = 0; p < World.PARTITIONS; p++) {
            if (live.applied().getOrDefault(p, 0L) < world.model.end(p)) {
                return false;
            }
        }
        return true;
    }

    /** Everything is right, and after the garbage is gone, nothing else is left. */
    private void finish() throws IOException {
        scheduler.advance(10 * DAY_MS);
        CollectionHandle handle = world.openRaw();
        GcPlan plan;
        try (GcLease lease = GcLease.acquire(handle.metastore(), "end", HOUR_MS);
                GarbageCollector collector = SimulatedCollector.open(handle, world.collecting)) {
            do {
                plan = collector.sweep(lease).plan();
                deleted += plan.deletes().size();
            } while (!plan.deletes().isEmpty());
        }
        if (random.nextInt(VERIFY_ONE_IN) == 0) {
            VerifyReport report = Verifier.againstLog(handle, world.model.log);
            require(report.ok(), "at the end: " + report.violations());
        }
        for (GcPlan.Verdict verdict : plan.verdicts()) {
            require(
                    verdict.fate() == Fate.RETAINED
                            || verdict.fate() == Fate.MAINLINE
                            || verdict.fate() == Fate.TAGGED
                                    && world.oracle.isTagged(verdict.path()),
                    verdict.path() + " is left: " + verdict.fate().reason());
        }
    }
}
