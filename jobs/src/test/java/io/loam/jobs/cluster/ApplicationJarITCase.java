package io.loam.jobs.cluster;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
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

    @Test
    void jobComesWithWhatItNeedsAndNoNativeLibrary() {
        assertThat(entries)
                .contains(
                        "io/loam/jobs/ApplyCollectionJob.class",
                        "io/loam/lance/LanceRowStoreProvider.class",
                        "org/apache/flink/connector/kafka/source/KafkaSource.class",
                        "org/apache/kafka/clients/consumer/KafkaConsumer.class",
                        "org/roaringbitmap/RoaringBitmap.class",
                        "com/google/protobuf/Message.class",
                        "com/dynatrace/hash4j/hashing/Hashing.class",
                        "org/apache/lucene/analysis/Analyzer.class");
        assertThat(entries).noneMatch(entry -> entry.matches(".*\\.(so|dll|dylib|jnilib)"));
        assertThat(entries)
                .noneMatch(entry -> entry.matches("io/loam/jobs/(cli|demo|broker|cluster)/.*"));
    }

    /**
     * A class in both would be loaded twice, once for the cluster and once for the job, unless it
     * is Flink's, which goes to the parent first.
     */
    @Test
    void nothingIsInLibToo() throws IOException {
        Set<String> shared = new TreeSet<>();
        for (Path file : jars()) {
            for (String entry : entries(file)) {
                if (entry.endsWith(".class") && !entry.startsWith("META-INF/")) {
                    if (entries.contains(entry)) {
                        shared.add(entry);
                    }
                }
            }
        }
        // Flink's core brings bitmaps for itself; none crosses between it and the job.
        assertThat(shared)
                .allMatch(
                        entry ->
                                entry.startsWith("org/apache/flink/connector/base/")
                                        || entry.startsWith("org/roaringbitmap/"));
    }

    @Test
    void servicesNameClassesOfTheJar() throws IOException {
        assertThat(services("io.loam.store.spi.RowStoreProvider"))
                .containsExactly("io.loam.lance.LanceRowStoreProvider");
        assertThat(services("io.loam.store.spi.SplitStoreProvider"))
                .containsExactly("io.loam.tantivy.TantivySplitStoreProvider");
        assertThat(services("io.loam.store.spi.ObjectStoreProvider"))
                .contains("io.loam.s3.S3ObjectStoreProvider");
        for (String entry : entries) {
            if (entry.startsWith("META-INF/services/io.loam.")) {
                for (String name : services(entry.substring("META-INF/services/".length()))) {
                    assertThat(entries).contains(name.replace('.', '/') + ".class");
                }
            }
        }
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
    void libHasEveryArtefactOnceAndNothingOfOurs() throws IOException {
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
                        "lance-core",
                        "tantivy4java",
                        "jar-jni",
                        "arrow-vector",
                        "sqlite-jdbc",
                        "postgresql",
                        "zstd-jni",
                        "log4j-core")
                .noneMatch(name -> name.startsWith("loam"));
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(LIB)) {
            return files.toList();
        }
    }

    private static List<String> services(String type) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            JarEntry entry = file.getJarEntry("META-INF/services/" + type);
            assertThat(entry).as(type).isNotNull();
            String text =
                    new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> !line.isBlank()).toList();
        }
    }

    private static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(JarEntry::getName).collect(Collectors.toSet());
        }
    }
}
