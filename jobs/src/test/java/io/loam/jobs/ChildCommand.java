package io.loam.jobs;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a process with this one's Java, module flags and class path. */
public final class ChildCommand {
    private ChildCommand() {}

    /**
     * @param options of the JVM
     * @param main its main class
     */
    public static List<String> of(List<String> options, Class<?> main, List<String> arguments) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-"))
                .forEach(line::add);
        line.addAll(options);
        line.add("-cp");
        line.add(
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")));
        line.add(main.getName());
        line.addAll(arguments);
        return line;
    }
}
