package io.loam.jobs.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where a cluster finds what it runs, and where it leaves what it makes.
 *
 * @param lib jars of every process, filled by the build
 * @param conf {@code config.yaml} and logging, as written by people
 * @param run everything of one cluster: configuration in effect, pid files, logs, temporary files
 */
public record ClusterFolders(Path lib, Path conf, Path run) {
    private static final String HOME_PROPERTY = "loam.home";

    /** The folders of a source tree, which bin/loam names in a system property. */
    public static ClusterFolders of(Path run) {
        Path home = home();
        return new ClusterFolders(
                home.resolve("flink-lib/target/lib"), home.resolve("flink-conf"), run);
    }

    public ClusterFolders withConf(Path other) {
        return new ClusterFolders(lib, other.toAbsolutePath().normalize(), run);
    }

    /** The root of the source tree. */
    public static Path home() {
        return Path.of(System.getProperty(HOME_PROPERTY, ".")).toAbsolutePath().normalize();
    }

    /** The jar of the apply job as the build leaves it. */
    public static Path applicationJar() throws IOException {
        Path target = home().resolve("jobs/target");
        if (Files.isDirectory(target)) {
            try (Stream<Path> files = Files.list(target)) {
                List<Path> jars = files.filter(ClusterFolders::isApplication).toList();
                if (jars.size() == 1) {
                    return jars.get(0);
                }
                if (jars.size() > 1) {
                    throw new ClusterException(
                            "several application jars in "
                                    + target
                                    + "; build again after mvn clean");
                }
            }
        }
        throw new ClusterException(
                "no application jar in "
                        + target
                        + "; build it with mvn package -pl jobs -am -DskipTests");
    }

    private static boolean isApplication(Path file) {
        return file.getFileName().toString().matches("loam-jobs-.*-application\\.jar");
    }

    Path runConf() {
        return run.resolve("conf");
    }

    PidFile pidFile(String name) {
        return new PidFile(run.resolve("pids").resolve(name + ".pid"));
    }

    Path log(String name) {
        return run.resolve("log").resolve(name + ".log");
    }

    /** What the process prints itself, JVM errors for example. */
    Path output(String name) {
        return run.resolve("log").resolve(name + ".out");
    }

    Path temp(String name) {
        return run.resolve("tmp").resolve(name);
    }

    /** Names of task managers that have a pid file, by their numbers. */
    List<String> taskManagers() throws IOException {
        String prefix = Role.TASKMANAGER.text() + "-";
        Path pids = run.resolve("pids");
        if (!Files.isDirectory(pids)) {
            return List.of();
        }
        List<Integer> numbers = new ArrayList<>();
        try (Stream<Path> files = Files.list(pids)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.matches(prefix + "[1-9][0-9]{0,5}\\.pid")) {
                    String number = name.substring(prefix.length(), name.length() - 4);
                    numbers.add(Integer.parseInt(number));
                }
            }
        }
        return numbers.stream().sorted().map(number -> prefix + number).toList();
    }

    /**
     * @throws ClusterException if the jars or the configuration are not there
     */
    void check() throws ClusterException {
        if (!Files.isDirectory(lib)) {
            throw new ClusterException(
                    "no jars at " + lib + "; build them with mvn package -pl jobs -am -DskipTests");
        }
        if (!Files.isRegularFile(conf.resolve("config.yaml"))) {
            throw new ClusterException(
                    "no config.yaml in " + conf + "; name the folder with --conf-dir");
        }
    }
}
