package io.loam.jobs.crash;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.flink.connector.testing.KeyIndexes;
import io.loam.jobs.cli.KafkaLogReader;
import io.loam.jobs.cli.Topic;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.api.common.JobStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One collection, one job after another, kill after kill, while records are written. After each run
 * the log is drained and the collection verified against it; at the end the job is stopped, and the
 * index in its savepoint compared with the rows.
 */
final class CrashSession implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int RANDOM_KILLS = 2;

    private final CrashBench bench;
    private final CollectionInfo collection;
    private final CollectionHandle handle;
    private final Topic topic;
    private final Workload workload;
    private final ApplyJob job;
    private CrashPlan plan;
    private Random random;
    private List<Long> recoveryMs;
    private List<String> violations;
    private int kills;

    CrashSession(CrashBench bench, String name, long seed) throws Exception {
        this.bench = bench;
        this.collection = bench.newCollection(name);
        this.handle = bench.warehouse().open(collection.id());
        this.topic = new Topic(bench.brokers(), collection);
        this.workload = new Workload(bench.brokers(), handle, seed);
        this.job = new ApplyJob(bench, collection, bench.folder().resolve("runs").resolve(name));
        job.submit(null);
    }

    CrashResult run(CrashPlan next) throws Exception {
        plan = next;
        random = new Random(plan.seed());
        recoveryMs = new ArrayList<>();
        violations = new ArrayList<>();
        kills = 0;
        long sent = workload.sent();
        long version = handle.live().manifest().version();
        workload.resume();
        try {
            awaitVersion(version + 1);
            if (plan.point() == null) {
                killAtRandom();
            } else {
                killAtPoint();
            }
            pause(random.nextInt(500));
        } finally {
            workload.pause();
        }
        if (violations.isEmpty() && awaitApplied(topic.endOffsets())) {
            violations.addAll(job.end());
            verify();
        }
        bench.cluster().heal();
        return new CrashResult(
                plan,
                kills,
                recoveryMs,
                workload.sent() - sent,
                handle.live().manifest().version() - version,
                violations);
    }

    /** Stops the job; says what is wrong with its index. */
    List<String> finish() throws Exception {
        Path savepoint = stop();
        Map<PrimaryKey, Long> staged = KeyIndexes.staged(savepoint.toString(), collection.id());
        Map<PrimaryKey, Long> live = KeyIndexes.live(handle);
        List<String> wrong = new ArrayList<>();
        if (!staged.equals(live)) {
            wrong.add("the index in the savepoint is " + staged + ", the rows are " + live);
        }
        if (live.isEmpty()) {
            wrong.add("the collection is empty");
        }
        return wrong;
    }

    private void killAtRandom() throws Exception {
        for (int i = 0; i < RANDOM_KILLS; i++) {
            pause(random.nextInt(2_500));
            Victim victim = i == 0 ? plan.victim() : anyVictim();
            long started = System.nanoTime();
            kill(victim, random.nextInt(ProcessCluster.TASK_MANAGERS), () -> {});
            // The second kill may come while the job still recovers from the first.
            if (i == RANDOM_KILLS - 1 || random.nextBoolean()) {
                awaitRecovered(started);
            }
        }
    }

    private Victim anyVictim() {
        return Victim.values()[random.nextInt(Victim.values().length)];
    }

    private void killAtPoint() throws Exception {
        FailPoint point = plan.point();
        FailPointFolder failPoints = bench.failPoints();
        int hit = plan.hit(random);
        try {
            start(point, hit);
            Optional<Long> held = failPoints.awaitReached(point, PATIENCE);
            if (held.isEmpty()) {
                violations.add(
                        "hit " + hit + " never came: " + failPoints.names() + ", " + job.end());
                return;
            }
            int taskManager =
                    bench.cluster()
                            .taskManager(held.get())
                            .orElse(random.nextInt(ProcessCluster.TASK_MANAGERS));
            long started = System.nanoTime();
            kill(plan.victim(), taskManager, () -> failPoints.letGo(point));
            awaitRecovered(started);
        } finally {
            failPoints.clear(point);
        }
    }

    private void start(FailPoint point, int hit) throws Exception {
        Path savepoint = null;
        if (plan.start() == CrashPlan.Start.OLD_SAVEPOINT) {
            savepoint = job.savepoint();
            awaitVersion(handle.live().manifest().version() + 3);
        }
        if (plan.start() != CrashPlan.Start.RUNNING) {
            job.cancel();
        }
        bench.failPoints().arm(point, hit);
        switch (plan.start()) {
            case RUNNING -> {}
            case WITHOUT_STATE -> job.submit(null);
            case NEWEST_CHECKPOINT -> job.submit(job.newestCheckpoint().orElseThrow());
            case OLD_SAVEPOINT -> job.submit(savepoint);
        }
    }

    /** Lets a thread go on that is held. */
    private interface LetGo {
        void run() throws IOException;
    }

    /** Kills a process and brings it back; whoever is held goes on when its victim is dead. */
    private void kill(Victim victim, int taskManager, LetGo letGo) throws Exception {
        kills++;
        switch (victim) {
            case TASK_MANAGER -> {
                bench.cluster().killTaskManager(taskManager);
                letGo.run();
                bench.cluster().restartTaskManager(taskManager);
            }
            case JOB_MANAGER -> {
                bench.cluster().killJobManager();
                pause(random.nextInt(1_000));
                boolean wakesLate = random.nextBoolean();
                if (!wakesLate) {
                    letGo.run();
                }
                bench.cluster().startJobManager();
                bench.cluster().awaitJobManager();
                // Both must give the same collection.
                boolean stateful = random.nextBoolean();
                job.submit(stateful ? job.newestCheckpoint().orElse(null) : null);
                if (wakesLate) {
                    letGo.run();
                }
            }
            case DATABASE -> {
                bench.database().kill();
                letGo.run();
                // Shorter than failed operations are tried again, or longer.
                pause(random.nextInt(4) > 0 ? random.nextInt(1_500) : 8_000);
                bench.database().restart();
            }
        }
    }

    /** Recovered is who has applied everything that was in the log shortly after the kill. */
    private void awaitRecovered(long started) throws Exception {
        pause(100); // so that something is written after it
        if (awaitApplied(topic.endOffsets())) {
            recoveryMs.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
        }
    }

    private void awaitVersion(long version) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (handle.live().manifest().version() < version) {
            pause(50);
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        plan + ": version " + version + " is not published; " + job.end());
            }
        }
    }

    /** Whether everything below these offsets was applied in time; else says why not. */
    private boolean awaitApplied(long[] offsets) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long look = 0;
        while (!isApplied(handle.live().manifest(), offsets)) {
            pause(50);
            if (++look % 20 == 0) {
                List<String> end = job.end();
                if (!end.isEmpty()) {
                    violations.addAll(end);
                    return false;
                }
            }
            if (System.nanoTime() > deadline) {
                violations.add(
                        "not applied within "
                                + PATIENCE
                                + ": "
                                + handle.live().manifest().applied()
                                + "; the job is "
                                + job.status());
                return false;
            }
        }
        return true;
    }

    private static boolean isApplied(CollectionManifest live, long[] offsets) {
        for (int partition = 0; partition < offsets.length; partition++) {
            if (live.applied().getOrDefault(partition, 0L) < offsets[partition]) {
                return false;
            }
        }
        return true;
    }

    private void verify() throws Exception {
        try (KafkaLogReader log = new KafkaLogReader(bench.brokers(), handle.info())) {
            VerifyReport report = Verifier.againstLog(handle, log);
            violations.addAll(report.violations());
            report.skipped().forEach(skipped -> violations.add("not verified: " + skipped));
        }
    }

    /** It may still be restarting, or a checkpoint fail with a task; then it is asked again. */
    private Path stop() throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return job.stopWithSavepoint();
            } catch (java.util.concurrent.ExecutionException e) {
                boolean over = job.status().map(JobStatus::isGloballyTerminalState).orElse(false);
                if (over || System.nanoTime() > deadline) {
                    throw e;
                }
                pause(500);
            }
        }
    }

    private static void pause(long ms) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(ms);
    }

    /** Ends the job if it still runs. */
    @Override
    public void close() throws Exception {
        try (CollectionHandle closingHandle = handle;
                Topic closingTopic = topic;
                Workload closingWorkload = workload) {
            if (!job.status().map(JobStatus::isGloballyTerminalState).orElse(false)) {
                job.cancel();
            }
        }
    }
}
