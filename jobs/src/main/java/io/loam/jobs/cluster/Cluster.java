package io.loam.jobs.cluster;

import io.loam.jobs.LockFile;
import io.loam.jobs.cluster.ClusterStatus.ProcessStatus;
import io.loam.jobs.cluster.FlinkCluster.Job;
import io.loam.jobs.cluster.FlinkCluster.Overview;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A Flink session cluster of this machine: a job manager, task managers and a SQL gateway, each a
 * JVM of its own that outlives the command. What runs is told by the pid files of the run
 * directory, so that every command finds it again; starting starts what is missing.
 */
public final class Cluster {
    private static final Duration START = Duration.ofSeconds(300);
    private static final long POLL_MS = 200;

    private final ClusterFolders folders;
    private final Consumer<String> progress;

    /**
     * @param progress gets a line for each step that takes time
     */
    public Cluster(ClusterFolders folders, Consumer<String> progress) {
        this.folders = folders;
        this.progress = progress;
    }

    /**
     * Starts what does not run and waits until task managers are registered and the gateway
     * answers. What this call started ends again if that fails.
     */
    public ClusterStatus start(ClusterSettings settings) throws IOException, InterruptedException {
        folders.check();
        Files.createDirectories(folders.run());
        try (FileChannel channel = lock()) {
            List<ClusterProcess> started = new ArrayList<>();
            try {
                startMissing(settings, started);
                return status();
            } catch (IOException | InterruptedException | RuntimeException e) {
                end(started, Duration.ofSeconds(5));
                throw e;
            }
        }
    }

    private void startMissing(ClusterSettings settings, List<ClusterProcess> started)
            throws IOException, InterruptedException {
        ClusterConfig config = config(settings);
        for (ClusterProcess process : expected(config)) {
            if (process.isAlive()) {
                continue;
            }
            if (process.pidFile().exists()) {
                progress.accept(process.name() + ": the pid file is stale, it ended unasked");
            }
            process.start(config.flink());
            started.add(process);
            progress.accept(
                    process.name() + ": started, pid " + process.pidFile().pid().orElseThrow());
        }
        await(config, started);
    }

    /** Keeps the configuration of what runs; makes a new one if nothing does. */
    private ClusterConfig config(ClusterSettings settings) throws IOException {
        boolean runs = false;
        for (ClusterProcess process : known()) {
            runs |= process.isAlive();
        }
        if (!runs) {
            for (ClusterProcess process : known()) {
                process.forget();
            }
            return ClusterConfig.create(folders, settings);
        }
        ClusterConfig config = ClusterConfig.load(folders);
        config.checkSame(settings, folders.run());
        if (settings.taskManagers() != null) {
            if (settings.taskManagers() < config.taskManagers()) {
                throw new ClusterException(
                        "the cluster of "
                                + folders.run()
                                + " has "
                                + config.taskManagers()
                                + " task managers; for fewer, stop it first");
            }
            config.taskManagers(settings.taskManagers(), folders);
        }
        return config;
    }

    private void await(ClusterConfig config, List<ClusterProcess> started)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (true) {
            String missing = missing(config, started);
            if (missing.isEmpty()) {
                return;
            }
            for (ClusterProcess process : started) {
                if (!process.isAlive()) {
                    throw new ClusterException(
                            process.name() + " ended while it started; " + process.lastWords());
                }
            }
            if (System.nanoTime() > deadline) {
                throw new ClusterException(
                        missing
                                + " after "
                                + START.toSeconds()
                                + " s; read "
                                + folders.run()
                                + "/log");
            }
            Thread.sleep(POLL_MS);
        }
    }

    private static String missing(ClusterConfig config, List<ClusterProcess> started) {
        try {
            List<String> registered = new FlinkCluster(config.restUrl()).taskManagers();
            for (ClusterProcess process : started) {
                if (process.isTaskManager() && !registered.contains(process.resourceId())) {
                    return process.name() + " is not registered";
                }
            }
            if (registered.size() < config.taskManagers()) {
                return registered.size()
                        + " of "
                        + config.taskManagers()
                        + " task managers are registered";
            }
        } catch (IOException e) {
            return "the job manager does not answer: " + e.getMessage();
        }
        return answers(config.gatewayUrl()) ? "" : "the SQL gateway does not answer";
    }

    private static boolean answers(String gatewayUrl) {
        try {
            new Rest(gatewayUrl).get("/info");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** How the cluster is; changes nothing. */
    public ClusterStatus status() throws IOException {
        if (known().isEmpty()) {
            return ClusterStatus.NOTHING;
        }
        ClusterConfig config = ClusterConfig.load(folders);
        List<ProcessStatus> processes = new ArrayList<>();
        for (ClusterProcess process : expected(config)) {
            processes.add(
                    new ProcessStatus(
                            process.name(),
                            process.pidFile().pid().orElse(0L),
                            process.isAlive(),
                            folders.log(process.name()).toString()));
        }
        Overview overview = null;
        List<Job> jobs = List.of();
        try {
            FlinkCluster cluster = new FlinkCluster(config.restUrl());
            overview = cluster.overview();
            jobs = cluster.jobs();
        } catch (IOException e) {
            // Told by the absent overview; a status is about what does not answer, too.
            progress.accept(e.getMessage());
        }
        return new ClusterStatus(
                processes,
                config.restUrl(),
                config.gatewayUrl(),
                config.taskManagers(),
                overview,
                jobs,
                answers(config.gatewayUrl()));
    }

    /**
     * What a stop ended.
     *
     * @param processes how many ran
     */
    public record Stopped(int processes, List<EndedJob> jobs) {}

    /**
     * A job that ran when its cluster was stopped.
     *
     * @param checkpoint where it can go on from; null if it had completed none
     */
    public record EndedJob(String id, String name, @Nullable String checkpoint) {}

    /** Ends every process: first by asking, then by force. */
    public Stopped stop(Duration grace) throws IOException, InterruptedException {
        if (!Files.isDirectory(folders.run())) {
            return new Stopped(0, List.of());
        }
        try (FileChannel channel = lock()) {
            List<EndedJob> jobs = runningJobs();
            return new Stopped(end(known(), grace), jobs);
        }
    }

    private List<EndedJob> runningJobs() throws IOException {
        List<EndedJob> running = new ArrayList<>();
        if (known().isEmpty()) {
            return running;
        }
        FlinkCluster cluster = new FlinkCluster(ClusterConfig.load(folders).restUrl());
        try {
            for (Job job : cluster.jobs()) {
                if (!job.ended()) {
                    String checkpoint = cluster.newestCheckpoint(job.id()).orElse(null);
                    running.add(new EndedJob(job.id(), job.name(), checkpoint));
                }
            }
        } catch (IOException e) {
            // A job manager that does not answer is no reason to let the rest run.
            progress.accept("jobs are not known: " + e.getMessage());
        }
        return running;
    }

    private int end(List<ClusterProcess> processes, Duration grace)
            throws IOException, InterruptedException {
        int ended = 0;
        for (int i = processes.size() - 1; i >= 0; i--) {
            ClusterProcess process = processes.get(i);
            if (process.isAlive()) {
                ended++;
                process.terminate();
            }
        }
        long deadline = System.nanoTime() + grace.toNanos();
        for (ClusterProcess process : processes) {
            while (process.isAlive() && System.nanoTime() < deadline) {
                Thread.sleep(POLL_MS);
            }
            if (process.isAlive()) {
                progress.accept(
                        process.name() + ": did not end in " + grace.toSeconds() + " s, killed");
                process.kill();
                while (process.isAlive()) {
                    Thread.sleep(POLL_MS);
                }
            } else {
                progress.accept(process.name() + ": ended");
            }
            process.forget();
        }
        return ended;
    }

    /** Processes with a pid file, the job manager first. */
    private List<ClusterProcess> known() throws IOException {
        List<ClusterProcess> processes = new ArrayList<>();
        processes.add(process(Role.JOBMANAGER, Role.JOBMANAGER.text()));
        for (String name : folders.taskManagers()) {
            processes.add(process(Role.TASKMANAGER, name));
        }
        processes.add(process(Role.GATEWAY, Role.GATEWAY.text()));
        processes.removeIf(process -> !process.pidFile().exists());
        return processes;
    }

    private List<ClusterProcess> expected(ClusterConfig config) {
        List<ClusterProcess> processes = new ArrayList<>();
        processes.add(process(Role.JOBMANAGER, Role.JOBMANAGER.text()));
        for (int i = 1; i <= config.taskManagers(); i++) {
            processes.add(process(Role.TASKMANAGER, Role.TASKMANAGER.text() + "-" + i));
        }
        processes.add(process(Role.GATEWAY, Role.GATEWAY.text()));
        return processes;
    }

    private ClusterProcess process(Role role, String name) {
        return new ClusterProcess(folders, role, name);
    }

    /** Two commands at once would start everything twice. */
    private FileChannel lock() throws IOException {
        FileLock lock = LockFile.tryLock(folders.run().resolve("cluster.lock"));
        if (lock == null) {
            throw new ClusterException(
                    "another command starts or stops the cluster of " + folders.run());
        }
        return lock.channel();
    }
}
