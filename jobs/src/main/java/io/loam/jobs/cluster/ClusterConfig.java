package io.loam.jobs.cluster;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

import javax.annotation.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * Flink's configuration of one run: what people wrote, and over it what belongs to the run. It is
 * kept in the run directory, where every process of the cluster reads it; it may hold passwords, so
 * that only its owner may.
 */
final class ClusterConfig {
    static final ConfigOption<Integer> TASK_MANAGERS =
            ConfigOptions.key("loam.cluster.task-managers").intType().defaultValue(2);
    // The gateway's classes stand in the cluster's lib only.
    static final ConfigOption<Integer> GATEWAY_PORT =
            ConfigOptions.key("sql-gateway.endpoint.rest.port").intType().defaultValue(8083);
    static final ConfigOption<String> GATEWAY_ADDRESS =
            ConfigOptions.key("sql-gateway.endpoint.rest.address").stringType().noDefaultValue();

    private static final String FILE = "config.yaml";

    private final Configuration config;

    private ClusterConfig(Configuration config) {
        this.config = config;
    }

    /** The configuration in effect, as an earlier start left it. */
    static ClusterConfig load(ClusterFolders folders) throws ClusterException {
        return new ClusterConfig(read(folders.runConf()));
    }

    static boolean exists(ClusterFolders folders) {
        return Files.exists(folders.runConf().resolve(FILE));
    }

    /** Chooses ports and directories for a new run and writes it down. */
    static ClusterConfig create(ClusterFolders folders, ClusterSettings settings)
            throws IOException {
        Configuration config = read(folders.conf());
        Path run = folders.run();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, url(run, "checkpoints"));
        config.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, url(run, "savepoints"));
        config.set(WebOptions.UPLOAD_DIR, run.resolve("upload").toString());
        set(config, TASK_MANAGERS, settings.taskManagers());
        set(config, TaskManagerOptions.NUM_TASK_SLOTS, settings.slots());
        set(config, RestOptions.PORT, settings.restPort());
        set(config, JobManagerOptions.PORT, settings.rpcPort());
        set(config, GATEWAY_PORT, settings.gatewayPort());
        settings.flink().forEach(config::setString);
        choosePort(config, RestOptions.PORT, RestOptions.ADDRESS, "--rest-port");
        choosePort(config, JobManagerOptions.PORT, JobManagerOptions.ADDRESS, "--rpc-port");
        choosePort(config, GATEWAY_PORT, GATEWAY_ADDRESS, "--gateway-port");
        config.removeKey(RestOptions.BIND_PORT.key());
        write(config, folders);
        return new ClusterConfig(config);
    }

    /**
     * @throws ClusterException if the settings ask for something else than what runs
     */
    void checkSame(ClusterSettings settings, Path run) throws ClusterException {
        checkSame("--slots", settings.slots(), config.get(TaskManagerOptions.NUM_TASK_SLOTS), run);
        checkSame("--rest-port", settings.restPort(), restPort(), run);
        checkSame("--rpc-port", settings.rpcPort(), config.get(JobManagerOptions.PORT), run);
        checkSame("--gateway-port", settings.gatewayPort(), config.get(GATEWAY_PORT), run);
        for (String key : settings.flink().keySet()) {
            String wanted = settings.flink().get(key);
            String present = config.toMap().get(key);
            if (!wanted.equals(present)) {
                boolean secret = GlobalConfiguration.isSensitive(key);
                throw secret
                        ? running("--flink " + key, "the one given", "another value", run)
                        : running("--flink " + key, wanted, String.valueOf(present), run);
            }
        }
    }

    private static void checkSame(String name, @Nullable Integer wanted, int present, Path run)
            throws ClusterException {
        if (wanted != null && wanted != 0 && wanted != present) {
            throw running(name, wanted.toString(), Integer.toString(present), run);
        }
    }

    private static ClusterException running(String name, String wanted, String present, Path run) {
        return new ClusterException(
                "the cluster of "
                        + run
                        + " runs with "
                        + name
                        + " "
                        + present
                        + ", not "
                        + wanted
                        + "; stop it first, or use another --run-dir");
    }

    /** Remembers how many task managers there are to be. */
    void taskManagers(int count, ClusterFolders folders) throws IOException {
        config.set(TASK_MANAGERS, count);
        write(config, folders);
    }

    int taskManagers() {
        return config.get(TASK_MANAGERS);
    }

    int slots() {
        return taskManagers() * config.get(TaskManagerOptions.NUM_TASK_SLOTS);
    }

    int restPort() {
        return config.get(RestOptions.PORT);
    }

    String restUrl() {
        return "http://" + config.get(RestOptions.ADDRESS) + ":" + restPort();
    }

    String gatewayUrl() {
        return "http://" + config.get(GATEWAY_ADDRESS) + ":" + config.get(GATEWAY_PORT);
    }

    Configuration flink() {
        return config;
    }

    private static Configuration read(Path folder) throws ClusterException {
        try {
            return GlobalConfiguration.loadConfiguration(folder.toString());
        } catch (RuntimeException e) {
            throw new ClusterException(
                    "cannot read " + folder.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    private static void write(Configuration config, ClusterFolders folders) throws IOException {
        Path target = Files.createDirectories(folders.runConf());
        try (Stream<Path> files = Files.list(folders.conf())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = target.resolve(file.getFileName());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        List<String> lines = ConfigurationUtils.convertConfigToWritableLines(config, true);
        Path file = target.resolve(FILE);
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, lines);
    }

    private static <T> void set(Configuration config, ConfigOption<T> option, @Nullable T value) {
        if (value != null) {
            config.set(option, value);
        }
    }

    private static String url(Path run, String folder) {
        return run.resolve(folder).toUri().toString();
    }

    /** A port somebody else listens at is refused here, with the option that names another. */
    private static void choosePort(
            Configuration config,
            ConfigOption<Integer> port,
            ConfigOption<String> address,
            String name)
            throws IOException {
        int wanted = config.get(port);
        String host = config.get(address);
        try (ServerSocket socket = new ServerSocket(wanted, 1, InetAddress.getByName(host))) {
            config.set(port, socket.getLocalPort());
        } catch (BindException e) {
            throw new ClusterException(
                    "cannot listen at "
                            + host
                            + ":"
                            + wanted
                            + " ("
                            + e.getMessage()
                            + "); end what uses the port, or choose another with "
                            + name,
                    e);
        }
    }
}
