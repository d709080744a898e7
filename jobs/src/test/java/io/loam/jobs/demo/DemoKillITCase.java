package io.loam.jobs.demo;

import io.loam.jobs.ChildCommand;
import io.loam.jobs.cli.Loam;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The demo as a process of its own, killed while it applies and run again. */
class DemoKillITCase {
    private static final int DOCUMENTS = 20_000;
    private static final long SECONDS = 120;
    private static final Pattern SOME_APPLIED =
            Pattern.compile("version [1-9][0-9]*, [1-9][0-9]* live documents");

    @TempDir Path folder;
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void aKilledDemoGoesOnAndVerifies() throws Exception {
        Path firstOutput = folder.resolve("first.out");
        Process first = start(firstOutput);
        awaitOutput(first, firstOutput);
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

    private static void awaitOutput(Process process, Path output) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!SOME_APPLIED.matcher(Files.readString(output)).find()) {
            assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
            assertThat(System.nanoTime()).as(Files.readString(output)).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private Process start(Path output) throws IOException {
        List<String> options =
                List.of(
                        "-Xmx1g",
                        "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")));
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
