package io.loam.jobs.cluster;

import io.loam.jobs.FreePort;
import io.loam.jobs.cluster.Compose.Service;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands of docker-compose.yml for Flink, word for word but for folders and ports, without
 * containers: task managers register and the gateway answers.
 */
@Timeout(600)
class ComposeCommandsITCase {
    @TempDir Path folder;
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void commandsMakeACluster() throws Exception {
        Compose compose = Compose.read(ComposeITCase.ROOT.resolve("docker-compose.yml"));
        int rest = FreePort.find();
        int gateway = FreePort.find();
        List<String> ports =
                List.of(
                        "-Drest.port=" + rest,
                        "-Djobmanager.rpc.port=" + FreePort.find(),
                        "-Dsql-gateway.endpoint.rest.port=" + gateway,
                        "-Dmetrics.reporter.prometheus.port=39450-39549",
                        "-Dexecution.checkpointing.dir=" + folder.resolve("c").toUri(),
                        "-Dexecution.checkpointing.savepoint-dir=" + folder.resolve("s").toUri());
        for (Service service : compose.flink()) {
            start(service, ports);
        }
        FlinkCluster cluster = new FlinkCluster("http://127.0.0.1:" + rest);
        while (!complete(cluster, "http://127.0.0.1:" + gateway)) {
            assertThat(processes).as(output()).allMatch(Process::isAlive);
            Thread.sleep(200);
        }
        assertThat(cluster.overview().slots()).isEqualTo(4);
    }

    private static boolean complete(FlinkCluster cluster, String gateway) {
        try {
            new Rest(gateway).get("/info");
            return cluster.taskManagers().size() == 2;
        } catch (IOException e) {
            // Not yet; the test's time is bounded.
            return false;
        }
    }

    private void start(Service service, List<String> ports) throws IOException {
        Path temp = Files.createDirectories(folder.resolve(service.name()));
        List<String> command = new ArrayList<>();
        for (String word : service.command()) {
            command.add(outside(service, word));
        }
        command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(1, "-Djava.io.tmpdir=" + temp);
        command.addAll(ports);
        ProcessBuilder builder = new ProcessBuilder(command);
        service.environment()
                .forEach((name, value) -> builder.environment().put(name, outside(service, value)));
        builder.redirectErrorStream(true).redirectOutput(temp.resolve("output").toFile());
        processes.add(builder.start());
    }

    /** Paths below the mounts, as this machine has them. */
    private static String outside(Service service, String word) {
        int path = word.indexOf("/opt/loam/");
        if (path < 0) {
            return word;
        }
        String found = service.outside(word.substring(path));
        return word.substring(0, path) + ComposeITCase.ROOT.resolve(found).normalize();
    }

    private String output() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> folders = Files.list(folder)) {
            for (Path each : folders.toList()) {
                text.append(each.getFileName()).append(":\n");
                text.append(Files.readString(each.resolve("output")));
            }
        }
        return text.toString();
    }
}
