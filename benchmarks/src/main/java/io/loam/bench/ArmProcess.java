package io.loam.bench;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The JVM of one arm. */
final class ArmProcess {
    private static final int SHOWN_LINES = 12;
    private static final int PRINTING_SECONDS = 2;
    private static final Pattern EXCEPTION =
            Pattern.compile("^(Caused by: )?[\\w.$]+(Exception|Error)\\b");

    private final Class<? extends Arm> arm;
    private final Map<String, String> args;
    private final List<String> jvmOptions;
    private final Path work;
    private final Path log;
    private final Duration limit;

    ArmProcess(
            Class<? extends Arm> arm,
            Map<String, String> args,
            List<String> jvmOptions,
            Path work,
            Path log,
            Duration limit) {
        this.arm = arm;
        this.args = args;
        this.jvmOptions = jvmOptions;
        this.work = work;
        this.log = log;
        this.limit = limit;
    }

    Map<String, Double> run() throws IOException, InterruptedException {
        Files.writeString(log, arm.getName() + " " + args + System.lineSeparator());
        ProcessBuilder builder =
                new ProcessBuilder(command())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        args.forEach(
                (name, value) -> {
                    if (name.startsWith(Arm.ENVIRONMENT)) {
                        builder.environment().put(name.substring(Arm.ENVIRONMENT.length()), value);
                    }
                });
        Process process = builder.start();
        Thread end = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(end);
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                printThreads(process);
                throw failed("took more than " + limit.toSeconds() + " s");
            }
        } finally {
            process.destroyForcibly();
            process.waitFor();
            Runtime.getRuntime().removeShutdownHook(end);
        }
        if (process.exitValue() != 0) {
            throw failed("ended with " + process.exitValue());
        }
        return result();
    }

    /** A JVM told to quit prints what its threads do: into the log, as it is its output. */
    private static void printThreads(Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
        process.waitFor(PRINTING_SECONDS, TimeUnit.SECONDS);
    }

    private List<String> command() throws IOException {
        Path temp = Files.createDirectories(work.resolve("tmp"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The opened packages and such: an arm needs them as this JVM does.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--add-"))
                .forEach(command::add);
        command.addAll(jvmOptions);
        command.add("-Djava.io.tmpdir=" + temp);
        command.add("-Dfile.encoding=UTF-8");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(ArmMain.class.getName());
        command.add(arm.getName());
        args.forEach((name, value) -> command.add(name + "=" + value));
        return command;
    }

    private Map<String, Double> result() throws IOException {
        for (String line : lines()) {
            if (line.startsWith(ArmMain.RESULT)) {
                byte[] json =
                        line.substring(ArmMain.RESULT.length()).getBytes(StandardCharsets.UTF_8);
                Map<String, Double> values = new LinkedHashMap<>();
                Json.parseObject(json)
                        .members()
                        .forEach(
                                (name, value) ->
                                        values.put(
                                                name,
                                                value instanceof JsonInteger integer
                                                        ? (double) integer.value()
                                                        : ((JsonDouble) value).value()));
                return values;
            }
        }
        throw failed("measured nothing");
    }

    /** Short, as reports show it; what the arm printed last goes to standard error. */
    private IOException failed(String what) throws IOException {
        List<String> lines = lines();
        System.err.println("the end of " + log + ":");
        lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size())
                .forEach(System.err::println);
        String why =
                lines.stream()
                        .filter(line -> EXCEPTION.matcher(line).find())
                        .reduce((first, last) -> last)
                        .map(line -> ": " + line)
                        .orElse("");
        return new IOException(
                arm.getSimpleName() + " " + what + why + " (log " + log.getFileName() + ")");
    }

    private List<String> lines() throws IOException {
        // Native libraries print what is no UTF-8 now and then.
        return List.of(
                new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1).split("\n"));
    }
}
