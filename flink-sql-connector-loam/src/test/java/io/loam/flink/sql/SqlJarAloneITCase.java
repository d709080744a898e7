package io.loam.flink.sql;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jar and Flink's own, and nothing else: a process makes a collection, writes it, reads it and
 * searches it in a cluster of its own JVM.
 */
@Timeout(value = 900, unit = SECONDS)
class SqlJarAloneITCase {
    @TempDir Path folder;

    @Test
    void tableIsMadeWrittenReadAndSearched() throws Exception {
        List<String> output =
                run(
                        "CREATE CATALOG loam WITH ('type' = 'loam', 'warehouse' = '%s')"
                                .formatted(folder.resolve("warehouse")),
                        "USE CATALOG loam",
                        """
                        CREATE TABLE notes (
                          id STRING, title STRING, vec ARRAY<FLOAT>, PRIMARY KEY (id) NOT ENFORCED
                        ) WITH (
                          'fields.title.analyzer' = 'english', 'fields.vec.dimension' = '2')
                        """,
                        """
                        INSERT INTO notes VALUES
                          ('a', 'Foxes in the field', ARRAY[CAST(1 AS FLOAT), CAST(0 AS FLOAT)]),
                          ('b', 'A dog', ARRAY[CAST(0 AS FLOAT), CAST(1 AS FLOAT)])
                        """,
                        "SELECT 'read', id, title FROM notes ORDER BY id",
                        """
                        SELECT 'vector', id FROM
                          TABLE(VECTOR_SEARCH(TABLE notes, DESCRIPTOR(vec), ARRAY[0.0, 1.0], 1))
                        """,
                        "SELECT 'text', id FROM TABLE(TEXT_SEARCH('notes', 'fox', 5))");
        assertThat(output)
                .filteredOn(line -> line.matches("\\+I\\[(read|vector|text).*"))
                .containsExactly(
                        "+I[read, a, Foxes in the field]",
                        "+I[read, b, A dog]",
                        "+I[vector, b]",
                        "+I[text, a]");
    }

    /** The one class of the tests that the process sees is the main one. */
    private List<String> run(String... statements) throws IOException, InterruptedException {
        String name = StatementsMain.class.getName();
        Path main = folder.resolve("main").resolve(name.replace('.', '/') + ".class");
        Files.createDirectories(main.getParent());
        try (InputStream bytes = StatementsMain.class.getResourceAsStream("StatementsMain.class")) {
            Files.copy(bytes, main);
        }
        Path temp = Files.createDirectories(folder.resolve("tmp"));
        Path log = folder.resolve("out");
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-"))
                .forEach(line::add);
        line.addAll(List.of("-Xmx1g", "-Djava.io.tmpdir=" + temp));
        line.addAll(List.of("-cp", classPath() + ":" + folder.resolve("main"), name));
        line.addAll(List.of(statements));
        ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        Process process = builder.redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(800, SECONDS)).as(Files.readString(log)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(log);
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines().toList();
    }

    private static String classPath() throws IOException {
        String flink = Files.readString(SqlJar.TARGET.resolve("flink.classpath")).strip();
        assertThat(flink)
                .doesNotContain("loam", "lance", "tantivy", "arrow", "kafka", "jdbc", "postgresql");
        return flink + ":" + SqlJar.path();
    }
}
