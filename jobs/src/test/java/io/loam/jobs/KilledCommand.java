package io.loam.jobs;

import io.loam.store.FailPoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A process that is killed with SIGKILL where it comes to a fail point. */
public final class KilledCommand {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private KilledCommand() {}

    /**
     * Starts it, waits until it is there, and kills it.
     *
     * @param folder for its files, made for it alone
     * @param main main class
     * @return what it printed until then
     */
    public static String at(FailPoint point, Path folder, Class<?> main, List<String> arguments)
            throws IOException, InterruptedException {
        Files.createDirectory(folder);
        Files.writeString(folder.resolve(point + ".armed"), "1");
        Path output = folder.resolve("killed.out");
        List<String> options =
                List.of(
                        "-Dloam.failpoints=" + folder,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC");
        Process process =
                new ProcessBuilder(ChildCommand.of(options, main, arguments))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            awaitReached(folder.resolve(point + ".reached"), process, output);
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(output);
    }

    private static void awaitReached(Path reached, Process process, Path output)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(reached)) {
            if (!process.isAlive()) {
                throw new AssertionError("it ended by itself: " + Files.readString(output));
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("it never came there: " + Files.readString(output));
            }
            Thread.sleep(20);
        }
    }
}
