package io.loam.jobs.cluster;

import io.loam.store.LocalFiles;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import sun.misc.Signal;

import javax.annotation.Nullable;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Flink's SQL client for one person: beside it a SQL gateway of its own that runs statements on a
 * small cluster inside its process, for as long as the client lives. Nothing listens but the
 * gateway, on a free port of the loopback address.
 */
public final class SqlShell implements AutoCloseable {
    private static final int PARALLELISM = 2;
    private static final long START_MS = TimeUnit.MINUTES.toMillis(5);
    private static final long POLL_MS = 100;
    private static final long END_SECONDS = 10;

    private final ClusterFolders folders;
    private final Path conf;
    private final Path init;
    private final Path temp;
    private final int port;
    private final Configuration config;
    @Nullable private Process gateway;

    /**
     * @param folders its run directory keeps the history of what was typed, and the gateway's log
     * @param flink options of Flink, over those this class chooses
     */
    public SqlShell(ClusterFolders folders, Map<String, String> flink) throws IOException {
        folders.check();
        this.folders = folders;
        Files.createDirectories(folders.run());
        // The client takes the paths of files for URIs, and fails on those with a blank in them.
        this.temp = Files.createTempDirectory("loam-sql-");
        this.conf = Files.createDirectory(temp.resolve("conf"));
        this.init = temp.resolve("init.sql");
        this.port = freePort();
        this.config = new Configuration();
        config.set(DeploymentOptions.TARGET, "local");
        config.setString(ExecutionOptions.RUNTIME_MODE.key(), "batch");
        config.set(CoreOptions.DEFAULT_PARALLELISM, PARALLELISM);
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(2));
        config.setString("table.dml-sync", "true");
        config.setString("sql-client.execution.result-mode", "tableau");
        flink.forEach(config::setString);
        config.set(ClusterConfig.GATEWAY_PORT, port);
        config.set(ClusterConfig.GATEWAY_ADDRESS, address());
        config.setString("sql-gateway.endpoint.rest.bind-address", address());
    }

    private static String address() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Starts the gateway, and returns when it answers.
     *
     * @throws ClusterException if it ends instead, with the place of its log
     */
    public void start() throws IOException, InterruptedException {
        writePrivately(
                conf.resolve("config.yaml"),
                ConfigurationUtils.convertConfigToWritableLines(config, true));
        Files.createDirectories(log().getParent());
        Configuration ofPeople = GlobalConfiguration.loadConfiguration(folders.conf().toString());
        List<String> words = endingWithThisProcess();
        words.add("setsid"); // Ctrl-C ends a statement, not the gateway
        words.addAll(java("-Xmx2g", log(), ofPeople.get(CoreOptions.FLINK_JVM_OPTIONS)));
        words.add(Role.GATEWAY.mainClass());
        gateway =
                builder(words)
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(log().toFile()))
                        .start();
        Rest rest = new Rest("http://" + address() + ":" + port);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
        while (true) {
            try {
                rest.get("/v1/info");
                return;
            } catch (IOException e) {
                if (!gateway.isAlive() || System.nanoTime() > deadline) {
                    throw new ClusterException("the SQL gateway did not start; see " + log(), e);
                }
                Thread.sleep(POLL_MS);
            }
        }
    }

    /**
     * Runs the client on this process's terminal, or on a script.
     *
     * @param statements that come first, such as those that make a catalog; may hold secrets
     * @param script null to read what is typed
     * @return whether all went well; of what is typed, whether the client did
     */
    public boolean run(List<String> statements, @Nullable Path script)
            throws IOException, InterruptedException {
        writePrivately(init, statements.stream().map(statement -> statement + ";").toList());
        List<String> words = endingWithThisProcess();
        words.addAll(java("-Xmx256m", folders.log("sql-client"), ""));
        words.add("org.apache.flink.table.client.SqlClient");
        words.addAll(List.of("gateway", "--endpoint", address() + ":" + port));
        words.addAll(List.of("--init", init.toString()));
        words.addAll(List.of("--history", folders.run().resolve("history").toString()));
        if (script != null) {
            Path copy = Files.copy(script, temp.resolve("script.sql"));
            words.addAll(List.of("--file", copy.toString()));
        }
        // The client knows what to do about Ctrl-C; this process has nothing to do about it.
        Signal.handle(new Signal("INT"), signal -> {});
        ProcessBuilder client = builder(words).inheritIO();
        if (script == null) {
            return client.start().waitFor() == 0;
        }
        // Both are pipes: if one is a terminal, the client prints there and not in the other.
        Process running = client.redirectOutput(Redirect.PIPE).redirectError(Redirect.PIPE).start();
        ScriptOutput errors = new ScriptOutput(running.getErrorStream(), System.err);
        errors.start();
        ScriptOutput output = new ScriptOutput(running.getInputStream(), System.out);
        output.start();
        errors.join();
        output.join();
        return running.waitFor() == 0 && !errors.failed() && !output.failed();
    }

    /**
     * The kernel ends a child so begun when this process ends, be it killed, as no code of this
     * process could.
     */
    private static List<String> endingWithThisProcess() {
        return new ArrayList<>(List.of("setpriv", "--pdeathsig", "TERM"));
    }

    private List<String> java(String memory, Path log, String flags) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add(memory);
        words.addAll(words(flags));
        words.add("-Dlog.file=" + log);
        words.add("-Djava.io.tmpdir=" + temp);
        words.add("-Dlog4j2.configurationFile=" + folders.conf().resolve("log4j.properties"));
        words.addAll(List.of("-cp", folders.lib() + "/*"));
        return words;
    }

    private static List<String> words(String text) {
        return Stream.of(text.trim().split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }

    private ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().put("FLINK_CONF_DIR", conf.toString());
        return builder;
    }

    /** Where the gateway logs, and with it the jobs that run inside it. */
    public Path log() {
        return folders.log(Role.GATEWAY.text());
    }

    private static void writePrivately(Path file, List<String> lines) throws IOException {
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, lines);
    }

    /** Ends the gateway and whatever runs in it. */
    @Override
    public void close() throws IOException {
        if (gateway != null) {
            gateway.destroy();
            try {
                if (!gateway.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    gateway.destroyForcibly();
                }
            } catch (InterruptedException e) {
                gateway.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        LocalFiles.delete(temp);
    }
}
