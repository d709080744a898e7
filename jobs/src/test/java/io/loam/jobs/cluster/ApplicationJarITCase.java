package io.loam.jobs.cluster;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** What the application jar and the cluster's lib folder hold, and what they must not share. */
class ApplicationJarITCase {
    private static final Path ROOT = Path.of(System.getProperty("loam.root"));
    private static final Path LIB = ROOT.resolve("flink-lib/target/lib");

    private static Set<String> entries;
    private static Path jar;

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("jobs/target"))) {
            jar =
                    files.filter(file -> file.toString().endsWith("-application.jar"))
                            .collect(
                                    Collectors.collectingAndThen(
                                            Collectors.toList(), ApplicationJarITCase::only));
        }
        entries = entries(jar);
    }

    private static Path only(List<Path> files) {
        assertThat(files).hasSize(1);
        return files.get(0);
    }

    /** All else is in lib, once for all jobs and SQL; a submission brings a small jar. */
    @Test
    void holdsTheClassesOfTheJobsAndNothingElse() {
        assertThat(entries)
                .contains("io/loam/jobs/ApplyCollectionJob.class")
                .filteredOn(entry -> entry.endsWith(".class") || entry.endsWith(".so"))
                .allMatch(entry -> entry.startsWith("io/loam/jobs/"))
                .noneMatch(entry -> entry.matches("io/loam/jobs/(cli|demo|broker|cluster)/.*"));
        assertThat(entries).noneMatch(entry -> entry.startsWith("META-INF/services/"));
    }

    /** A class in both would be loaded twice, once for the cluster and once for the job. */
    @Test
    void nothingIsInLibToo() throws IOException {
        for (Path file : jars()) {
            assertThat(entries(file))
                    .as(file.toString())
                    .noneMatch(entry -> entry.endsWith(".class") && entries.contains(entry));
        }
    }

    /**
     * The jar of lib gives other names to what it bundles; every class that the jobs name has to be
     * there under the name they use.
     */
    @Test
    void everyClassItNamesIsInLibOrInTheJdk() throws Exception {
        Set<String> missing = new TreeSet<>();
        List<URL> urls = new ArrayList<>(List.of(jar.toUri().toURL()));
        for (Path file : jars()) {
            urls.add(file.toUri().toURL());
        }
        ClassLoader jdk = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader job = new URLClassLoader(urls.toArray(new URL[0]), jdk)) {
            for (String entry : entries) {
                if (entry.endsWith(".class")) {
                    for (String name : names(entry)) {
                        try {
                            Class.forName(name, false, job);
                        } catch (ClassNotFoundException e) {
                            missing.add(name + " of " + entry);
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    /** Names of classes in a class file's constants. */
    private static Set<String> names(String entry) throws IOException {
        Set<String> names = new TreeSet<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            byte[] bytes = file.getInputStream(file.getJarEntry(entry)).readAllBytes();
            Matcher matcher =
                    Pattern.compile("L((?:io|org|com|software)/[A-Za-z0-9_$/]+);")
                            .matcher(new String(bytes, StandardCharsets.ISO_8859_1));
            while (matcher.find()) {
                names.add(matcher.group(1).replace('/', '.'));
            }
        }
        return names;
    }

    @Test
    void manifestNamesTheMainClass() throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            assertThat(file.getManifest().getMainAttributes().getValue("Main-Class"))
                    .isEqualTo("io.loam.jobs.ApplyCollectionJob");
        }
    }

    /** Jars of an earlier version beside the newer one would be mixed. */
    @Test
    void libHasEveryArtefactOnceAndOneJarOfOurs() throws IOException {
        Set<String> names = new HashSet<>();
        for (Path file : jars()) {
            String name = file.getFileName().toString().replaceFirst("-[0-9].*", "");
            assertThat(names.add(name)).as(file.toString()).isTrue();
        }
        assertThat(names)
                .contains(
                        "flink-runtime",
                        "flink-statebackend-rocksdb",
                        "flink-metrics-prometheus",
                        "flink-sql-connector-loam",
                        "log4j-core")
                .noneMatch(
                        name ->
                                name.matches(
                                        "(loam|lance|tantivy|arrow|jar-jni|kafka|zstd|sqlite|postgresql).*"));
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(LIB)) {
            return files.toList();
        }
    }

    private static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(JarEntry::getName).collect(Collectors.toSet());
        }
    }
}
