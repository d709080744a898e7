package io.loam.jobs.demo;

import io.loam.jobs.ChildCommand;
import io.loam.jobs.cli.Loam;
import io.loam.store.FailPoint;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The demo as a process of its own, killed while it applies and run again. */
class DemoKillITCase {
    private static final int DOCUMENTS = 20_000;
    private static final long SECONDS = 900;

    @TempDir Path folder;
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void aKilledDemoGoesOnAndVerifies() throws Exception {
        Path firstOutput = folder.resolve("first.out");
        Path points = Files.createDirectories(folder.resolve("points"));
        Files.writeString(points.resolve(FailPoint.SWAPPED + ".armed"), "1");
        Process first = start(firstOutput, "-Dloam.failpoints=" + points);
        // From here on it is held, so that it cannot be done before it is killed.
        awaitFile(first, firstOutput, points.resolve(FailPoint.SWAPPED + ".reached"));
        List<ProcessHandle> children = first.toHandle().descendants().toList();
        first.destroyForcibly().waitFor();
        assertThat(Files.readString(firstOutput)).doesNotContain("verified:");
        assertThat(children).as("the broker").hasSize(1);

        Path secondOutput = folder.resolve("second.out");
        Process second = start(secondOutput);
        assertThat(second.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
        String output = Files.readString(secondOutput);
        assertThat(second.exitValue()).as(output).isZero();
        assertThat(output).contains("going on with the earlier run");
        assertThat(output.strip().lines().reduce((before, last) -> last).orElseThrow())
                .isEqualTo("verified: " + survivors() + " keys, 0 violations");
        assertThat(children).noneMatch(ProcessHandle::isAlive);
    }

    /** The plan deletes every fiftieth document. */
    private static int survivors() {
        return DOCUMENTS - DOCUMENTS / 50;
    }

    private static void awaitFile(Process process, Path output, Path file) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!Files.exists(file)) {
            assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
            assertThat(System.nanoTime()).as(Files.readString(output)).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private Process start(Path output, String... more) throws IOException {
        List<String> options = new ArrayList<>(List.of(more));
        options.add("-Xmx1g");
        options.add("-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")));
        List<String> arguments =
                List.of(
                        "demo",
                        "--dir",
                        folder.resolve("demo").toString(),
                        "--docs",
                        Integer.toString(DOCUMENTS),
                        "--no-vectors",
                        "--checkpoint-interval",
                        "200ms");
        Process process =
                new ProcessBuilder(ChildCommand.of(options, Loam.class, arguments))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        processes.add(process);
        return process;
    }
}
