package io.loam.jobs.cluster;

import io.loam.store.LocalFiles;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.TaskManagerOptions;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** One process of a cluster: started apart from this one, found again by its pid file. */
final class ClusterProcess {
    private static final int TAIL_LINES = 15;

    private final ClusterFolders folders;
    private final Role role;
    private final String name;
    private String resourceId = "";

    ClusterProcess(ClusterFolders folders, Role role, String name) {
        this.folders = folders;
        this.role = role;
        this.name = name;
    }

    String name() {
        return name;
    }

    /** What a task manager started by this object registers as; another one at each start. */
    String resourceId() {
        return resourceId;
    }

    boolean isTaskManager() {
        return role == Role.TASKMANAGER;
    }

    PidFile pidFile() {
        return folders.pidFile(name);
    }

    boolean isAlive() throws IOException {
        return pidFile().alive().isPresent();
    }

    void start(Configuration config) throws IOException {
        LocalFiles.delete(folders.temp(name));
        resourceId = name + "-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        Path temp = Files.createDirectories(folders.temp(name));
        Files.createDirectories(folders.log(name).getParent());
        ProcessBuilder builder = new ProcessBuilder(command(config, temp));
        Map<String, String> environment = builder.environment();
        environment.put("FLINK_CONF_DIR", folders.runConf().toString());
        environment.put("FLINK_LIB_DIR", folders.lib().toString());
        environment.putIfAbsent("FLINK_PLUGINS_DIR", folders.run().resolve("plugins").toString());
        builder.directory(folders.run().toFile());
        builder.redirectInput(new File("/dev/null"));
        builder.redirectErrorStream(true);
        builder.redirectOutput(Redirect.appendTo(folders.output(name).toFile()));
        pidFile().write(builder.start().pid());
    }

    private List<String> command(Configuration config, Path temp) {
        List<String> words = new ArrayList<>();
        // A session of its own, so that neither Ctrl-C nor a closing terminal reaches it.
        words.add("setsid");
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(role.memoryFlags(config));
        words.addAll(flags(config.get(CoreOptions.FLINK_JVM_OPTIONS)));
        words.addAll(flags(config.get(role.flagsOption())));
        // Native libraries unpack themselves here; a folder of its own can be emptied for it.
        words.add("-Djava.io.tmpdir=" + temp);
        words.add("-Dlog.file=" + folders.log(name));
        words.add("-Dlog4j2.configurationFile=" + folders.runConf().resolve("log4j.properties"));
        words.add("-cp");
        words.add(folders.lib() + "/*");
        words.add(role.mainClass());
        words.addAll(role.arguments(folders.runConf().toString()));
        words.add("-D" + CoreOptions.TMP_DIRS.key() + "=" + temp);
        if (isTaskManager()) {
            words.add("-D" + TaskManagerOptions.TASK_MANAGER_RESOURCE_ID.key() + "=" + resourceId);
        }
        words.addAll(role.options());
        return words;
    }

    private static List<String> flags(String text) {
        return Stream.of(text.trim().split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }

    /** Asks the process to end. */
    void terminate() throws IOException {
        pidFile().alive().ifPresent(ProcessHandle::destroy);
    }

    /** Ends the process whether it likes it or not. */
    void kill() throws IOException {
        pidFile().alive().ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Forgets the ended process and removes what it left in its temporary folder. */
    void forget() throws IOException {
        LocalFiles.delete(folders.temp(name));
        pidFile().delete();
    }

    /** The end of what the process printed, or else logged, for a message about its end. */
    String lastWords() throws IOException {
        for (Path file : List.of(folders.output(name), folders.log(name))) {
            Optional<String> tail = tail(file);
            if (tail.isPresent()) {
                return file + " ends with:\n" + tail.get();
            }
        }
        return "it left nothing in " + folders.log(name);
    }

    private static Optional<String> tail(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(file);
        return Optional.of(
                String.join(
                        "\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())));
    }
}
