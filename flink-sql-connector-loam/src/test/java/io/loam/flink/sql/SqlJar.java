package io.loam.flink.sql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The jar that the build made. */
final class SqlJar {
    static final Path ROOT = Path.of(System.getProperty("loam.root"));
    static final Path TARGET = ROOT.resolve("flink-sql-connector-loam/target");

    private SqlJar() {}

    static Path path() throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            List<Path> jars =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .matches("flink-sql-connector-loam-.*\\.jar"))
                            .toList();
            assertThat(jars).hasSize(1);
            return jars.get(0);
        }
    }

    static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(JarEntry::getName)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    static String text(Path jar, String name) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            JarEntry entry = file.getJarEntry(name);
            assertThat(entry).as(name).isNotNull();
            return new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
