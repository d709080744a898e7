package io.loam.jobs.cluster;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a start makes of the shipped configuration. */
class ClusterConfigTest {
    @TempDir Path run;
    private ClusterFolders folders;

    @BeforeEach
    void shippedConfiguration() {
        Path root = Path.of(System.getProperty("loam.root"));
        folders = new ClusterFolders(run.resolve("lib"), root.resolve("flink-conf"), run);
    }

    @Test
    void aRunHasPortsAndDirectoriesOfItsOwn() throws IOException {
        ClusterConfig.create(folders, settings(3, 4, Map.of("parallelism.default", "7")));
        ClusterConfig read = ClusterConfig.load(folders);
        Configuration flink = read.flink();
        assertThat(read.taskManagers()).isEqualTo(3);
        assertThat(flink.get(TaskManagerOptions.NUM_TASK_SLOTS)).isEqualTo(4);
        assertThat(read.restPort()).isPositive();
        assertThat(read.restUrl()).isEqualTo("http://127.0.0.1:" + read.restPort());
        assertThat(flink.get(JobManagerOptions.PORT)).isPositive().isNotEqualTo(6123);
        assertThat(flink.get(CoreOptions.DEFAULT_PARALLELISM)).isEqualTo(7);
        assertThat(flink.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY))
                .isEqualTo("file://" + run.resolve("checkpoints"));
        assertThat(flink.get(CheckpointingOptions.SAVEPOINT_DIRECTORY))
                .isEqualTo("file://" + run.resolve("savepoints"));
    }

    @Test
    void nothingElseIsLostOnTheWay() throws IOException {
        ClusterConfig.create(folders, settings(null, null, Map.of()));
        Configuration flink = ClusterConfig.load(folders).flink();
        assertThat(flink.get(CoreOptions.ALWAYS_PARENT_FIRST_LOADER_PATTERNS_ADDITIONAL))
                .containsExactly(
                        "org.lance.", "org.apache.arrow.", "io.questdb.", "io.indextables.");
        assertThat(flink.get(CoreOptions.FLINK_JVM_OPTIONS).split(" "))
                .contains("--add-opens=java.base/java.nio=ALL-UNNAMED")
                .allMatch(flag -> flag.startsWith("-"));
        assertThat(folders.runConf().resolve("log4j.properties")).exists();
        // Options may hold passwords.
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        folders.runConf().resolve("config.yaml"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aPortInUseIsNamedWithTheOptionThatHelps() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            ClusterSettings settings =
                    new ClusterSettings(null, null, 0, used.getLocalPort(), 0, Map.of());
            assertThatThrownBy(() -> ClusterConfig.create(folders, settings))
                    .isInstanceOf(ClusterException.class)
                    .hasMessage(
                            "cannot listen at 127.0.0.1:"
                                    + used.getLocalPort()
                                    + " (Address already in use); end what uses the port, or"
                                    + " choose another with --rpc-port");
            assertThat(folders.runConf()).doesNotExist();
        }
    }

    @Test
    void whatRunsIsNotChanged() throws IOException {
        ClusterConfig config = ClusterConfig.create(folders, settings(2, 2, Map.of()));
        assertThatCode(() -> config.checkSame(settings(5, null, Map.of()), run))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> config.checkSame(settings(2, 3, Map.of()), run))
                .hasMessage(
                        "the cluster of "
                                + run
                                + " runs with --slots 2, not 3; stop it first, or use another"
                                + " --run-dir");
        assertThatThrownBy(
                        () ->
                                config.checkSame(
                                        settings(2, 2, Map.of("state.backend.type", "x")), run))
                .hasMessageContaining("runs with --flink state.backend.type rocksdb, not x");
    }

    @Test
    void aBrokenFileIsNamed() throws IOException {
        Path conf = Files.createDirectories(run.resolve("own"));
        Files.writeString(conf.resolve("config.yaml"), "a: [b\n");
        assertThatThrownBy(
                        () ->
                                ClusterConfig.create(
                                        folders.withConf(conf), settings(1, 1, Map.of())))
                .isInstanceOf(ClusterException.class)
                .hasMessageStartingWith("cannot read " + conf.resolve("config.yaml") + ": ");
    }

    private static ClusterSettings settings(
            Integer taskManagers, Integer slots, Map<String, String> flink) {
        return new ClusterSettings(taskManagers, slots, 0, 0, 0, flink);
    }
}
