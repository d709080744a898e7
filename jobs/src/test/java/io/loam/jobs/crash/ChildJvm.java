package io.loam.jobs.crash;

import io.loam.jobs.ChildCommand;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process with this one's class path. Its output goes to a file. */
final class ChildJvm {
    private static final long DIES_WITHIN_SECONDS = 300;

    private final String name;
    private final Path output;
    private final Process process;

    private ChildJvm(String name, Path output, Process process) {
        this.name = name;
        this.output = output;
        this.process = process;
    }

    /**
     * @param options of the JVM
     * @param command main class and its arguments
     */
    static ChildJvm start(String name, Path folder, List<String> options, List<String> command)
            throws IOException {
        // These processes live for seconds: what starts fast is fast.
        List<String> flags =
                new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        flags.addAll(options);
        Path output = folder.resolve(name + ".out");
        Process process =
                new ProcessBuilder(ChildCommand.of(flags, ChildMain.class, command))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                        .start();
        return new ChildJvm(name, output, process);
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    /** Fails if the process ended by itself. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    name + " ended with " + process.exitValue() + "; its output is in " + output);
        }
    }

    /** SIGKILL; returns once the process is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(DIES_WITHIN_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " does not die");
        }
    }
}
