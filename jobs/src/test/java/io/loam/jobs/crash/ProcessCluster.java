package io.loam.jobs.crash;

import io.loam.jobs.FreePort;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A job manager and two task managers, each a process of its own on this host. */
final class ProcessCluster implements AutoCloseable {
    static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 2;
    private static final Duration STARTS_WITHIN = Duration.ofMinutes(10);
    private static final Duration REGISTERS_WITHIN = Duration.ofSeconds(20);
    private static final Pattern SLOTS_TOTAL = Pattern.compile("\"slots-total\":(\\d+)");

    private final Path folder;
    private final Path conf;
    private final Path failPoints;
    private final int restPort = FreePort.find();
    private final int rpcPort = FreePort.find();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ChildJvm> taskManagers = new ArrayList<>();
    private ChildJvm jobManager;
    private int started;

    ProcessCluster(Path folder, Path failPoints) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.failPoints = failPoints;
        this.conf = Files.createDirectories(folder.resolve("conf"));
        Files.createDirectories(folder.resolve("tmp"));
        writeConfiguration();
        startJobManager();
        for (int i = 0; i < TASK_MANAGERS; i++) {
            taskManagers.add(newTaskManager());
        }
    }

    private void writeConfiguration() throws IOException {
        Map<String, String> options = new TreeMap<>();
        options.put("jobmanager.rpc.address", "127.0.0.1");
        options.put("jobmanager.rpc.port", Integer.toString(rpcPort));
        options.put("jobmanager.bind-host", "127.0.0.1");
        options.put("jobmanager.memory.process.size", "1024m");
        options.put("rest.address", "127.0.0.1");
        options.put("rest.bind-address", "127.0.0.1");
        options.put("rest.port", Integer.toString(restPort));
        options.put("taskmanager.host", "127.0.0.1");
        options.put("taskmanager.bind-host", "127.0.0.1");
        options.put("taskmanager.numberOfTaskSlots", Integer.toString(SLOTS));
        options.put("taskmanager.load-balance.mode", "SLOTS");
        options.put("taskmanager.cpu.cores", "1");
        options.put("taskmanager.memory.task.heap.size", "256m");
        options.put("taskmanager.memory.task.off-heap.size", "64m");
        options.put("taskmanager.memory.framework.heap.size", "128m");
        options.put("taskmanager.memory.framework.off-heap.size", "64m");
        options.put("taskmanager.memory.network.min", "32m");
        options.put("taskmanager.memory.network.max", "32m");
        options.put("taskmanager.memory.managed.size", "96m");
        options.put("taskmanager.memory.jvm-metaspace.size", "256m");
        options.put("taskmanager.memory.jvm-overhead.min", "192m");
        options.put("taskmanager.memory.jvm-overhead.max", "192m");
        options.put("io.tmp.dirs", folder.resolve("tmp").toString());
        // A killed process is noticed and replaced within seconds.
        options.put("heartbeat.interval", "500 ms");
        options.put("heartbeat.timeout", "6 s");
        options.put("cluster.registration.initial-timeout", "100 ms");
        options.put("cluster.registration.max-timeout", "1 s");
        options.put("cluster.registration.error-delay", "500 ms");
        options.put("cluster.registration.refused-registration-delay", "500 ms");
        StringBuilder yaml = new StringBuilder();
        options.forEach((key, value) -> yaml.append(key + ": \"" + value + "\"\n"));
        Files.writeString(conf.resolve("config.yaml"), yaml);
    }

    void startJobManager() throws IOException {
        jobManager =
                ChildJvm.start(
                        "jobmanager-" + ++started,
                        folder,
                        options("-Xmx384m"),
                        List.of(
                                StandaloneSessionClusterEntrypoint.class.getName(),
                                "--configDir",
                                conf.toString()));
    }

    private ChildJvm newTaskManager() throws IOException {
        String name = "taskmanager-" + ++started;
        return ChildJvm.start(
                name,
                folder,
                options("-Xmx384m"),
                List.of(
                        TaskManagerRunner.class.getName(),
                        "--configDir",
                        conf.toString(),
                        "-Dtaskmanager.resource-id=" + name));
    }

    private List<String> options(String heap) {
        return List.of(
                heap,
                "-XX:MaxMetaspaceSize=256m",
                "-Duser.timezone=UTC",
                "-Dloam.log.level=INFO",
                "-Dloam.failpoints=" + failPoints,
                "-Djava.io.tmpdir=" + folder.resolve("tmp"));
    }

    /** Returns once the job manager answers and every slot is there. */
    void awaitReady() throws InterruptedException {
        long deadline = System.nanoTime() + STARTS_WITHIN.toNanos();
        while (slots() != TASK_MANAGERS * SLOTS) {
            requireAlive();
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "the cluster is not ready, its output is in " + folder);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Returns once the job manager answers. */
    void awaitJobManager() throws InterruptedException {
        long deadline = System.nanoTime() + STARTS_WITHIN.toNanos();
        while (slots() < 0) {
            requireAlive();
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "the job manager does not answer, its output is in " + folder);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /**
     * Returns once the cluster is whole again. A task manager that was about to register when the
     * job manager died may go on trying to reach that one, as it cannot tell from the address that
     * another is there; it is replaced.
     */
    void heal() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + REGISTERS_WITHIN.toNanos();
        while (slots() != TASK_MANAGERS * SLOTS && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        requireAlive();
        String registered = get("/taskmanagers");
        for (int i = 0; i < TASK_MANAGERS; i++) {
            if (!registered.contains("\"" + taskManagers.get(i).name() + "\"")) {
                killTaskManager(i);
                restartTaskManager(i);
            }
        }
        awaitReady();
    }

    private int slots() throws InterruptedException {
        Matcher found = SLOTS_TOTAL.matcher(get("/overview"));
        return found.find() ? Integer.parseInt(found.group(1)) : -1;
    }

    /** Empty if the job manager does not answer. */
    private String get(String path) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + path))
                        .timeout(Duration.ofSeconds(5))
                        .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return ""; // not up yet
        }
    }

    /** Fails if a process ended that nobody killed. */
    void requireAlive() {
        jobManager.requireAlive();
        taskManagers.forEach(ChildJvm::requireAlive);
    }

    boolean isJobManager(long pid) {
        return jobManager.pid() == pid;
    }

    /** Which task manager a process is, if any. */
    Optional<Integer> taskManager(long pid) {
        for (int i = 0; i < taskManagers.size(); i++) {
            if (taskManagers.get(i).pid() == pid) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    void killTaskManager(int index) throws InterruptedException {
        taskManagers.get(index).kill();
    }

    void restartTaskManager(int index) throws IOException {
        taskManagers.set(index, newTaskManager());
    }

    void killJobManager() throws InterruptedException {
        jobManager.kill();
    }

    /** What a client needs to submit jobs. */
    Configuration client() {
        Configuration client = new Configuration();
        client.setString("execution.target", "remote");
        client.setString("rest.address", "127.0.0.1");
        client.setString("rest.port", Integer.toString(restPort));
        client.setString("rest.retry.delay", "200 ms");
        return client;
    }

    @Override
    public void close() throws InterruptedException {
        for (ChildJvm taskManager : taskManagers) {
            taskManager.kill();
        }
        jobManager.kill();
    }
}
