package io.loam.lance;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Processes for what native code may end, or never come back from. */
final class NativeChild {
    private NativeChild() {}

    /** A process like this one, of another main class of the tests. */
    static ProcessBuilder of(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add") || argument.startsWith("-D"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx512m", "-cp", classPath(), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    private static String classPath() {
        // The build's class path may stand in the manifest of a jar.
        String path = System.getProperty("surefire.test.class.path");
        return path != null ? path : System.getProperty("java.class.path");
    }
}
