package io.loam.jobs.cli;

import io.loam.jobs.ChildCommand;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A newcomer's file becomes a ranked search, as docs/sql.md shows it. */
class SqlCommandITCase {
    private static final Path PAGE = Path.of("../docs/sql.md");

    @TempDir Path directory;

    private record Run(int code, List<String> lines) {}

    private Path output() {
        return directory.resolve("out.txt");
    }

    private Process start(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("sql"));
        arguments.addAll(List.of("--warehouse", warehouse().toString()));
        arguments.addAll(List.of(more));
        return new ProcessBuilder(
                        ChildCommand.of(
                                List.of("-Xmx256m", "-Dloam.home=..", "-Djava.io.tmpdir=" + temp()),
                                Loam.class,
                                arguments))
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
    }

    private Path warehouse() {
        return directory.resolve("it's mine/warehouse");
    }

    private Run run(String... more) throws Exception {
        Path output = output();
        Process process = start(more);
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        List<String> lines =
                Files.readString(output)
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").strip())
                        .toList();
        return new Run(process.exitValue(), lines);
    }

    /** The statements of the page's first steps, on this test's file. */
    private Path script() throws IOException {
        String page = Files.readString(PAGE);
        String steps = page.substring(page.indexOf("## First steps"), page.indexOf("## Write"));
        String file = steps.substring(steps.indexOf("```json\n") + 8);
        Path json = directory.resolve("books.json");
        Files.writeString(json, file.substring(0, file.indexOf("```")));
        String sql = steps.substring(steps.indexOf("```sql-client\n") + 14);
        sql = sql.substring(0, sql.indexOf("```"));
        assertThat(sql).contains("'/home/me/books.json'");
        return Files.writeString(
                directory.resolve("script.sql"),
                sql.replace("/home/me/books.json", json.toString()));
    }

    @Test
    void aFileIsSearchedAfterFourStatements() throws Exception {
        Path script = script();
        assertThat(Files.readString(script).chars().filter(c -> c == ';').count()).isEqualTo(4);
        Run run = run("-f", script.toString());
        assertThat(run.code()).as("%s", run.lines()).isZero();
        assertThat(String.join("\n", run.lines())).doesNotContain("[ERROR]");
        List<String> found =
                run.lines().stream().filter(line -> line.matches("\\| \\d+ \\|.*")).toList();
        assertThat(found).hasSize(2);
        assertThat(found.get(0)).startsWith("| 1 | The quick brown fox | 0.");
        assertThat(found.get(1)).startsWith("| 3 | ");
        try (Stream<Path> left = Files.list(temp())) {
            assertThat(left).as("nothing of the session, secrets least of all").isEmpty();
        }
    }

    private Path temp() throws IOException {
        return Files.createDirectories(directory.resolve("tmp"));
    }

    /** Flink's client ends with 0 then, too. */
    @Test
    void aScriptEndsAtAStatementThatFailsAndSoDoesTheCommand() throws Exception {
        Path script = directory.resolve("script.sql");
        Files.writeString(
                script,
                "CREATE TABLE docs (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED);\n"
                        + "SELECT '[ERROR] Could not execute SQL statement.' AS told;\n"
                        + "INSERT INTO docs SELECT id, CAST(t AS INT)"
                        + " FROM (VALUES (1, '10'), (2, 'ten')) AS v(id, t);\n"
                        + "SELECT 'later' AS told;\n");
        Run run = run("-f", script.toString());
        assertThat(run.code()).as("%s", run.lines()).isEqualTo(Loam.FAILED);
        String printed = String.join("\n", run.lines());
        assertThat(printed).contains("| [ERROR] Could not");
        assertThat(printed).doesNotContain("| later");
        String told = "loam: a statement of " + script + " failed; the causes of what is said";
        assertThat(run.lines()).filteredOn(line -> line.startsWith(told)).hasSize(1);
        Path log = Path.of(printed.substring(printed.lastIndexOf(" are in ") + 8).strip());
        assertThat(log).content().contains("NumberFormatException");
    }

    /** What it started ends with it, though nothing could tell it to. */
    @Test
    void aKilledCommandLeavesNoProcessAndNoHalfOfATable() throws Exception {
        Path script = directory.resolve("script.sql");
        Files.writeString(
                script,
                "CREATE TABLE docs (id BIGINT, PRIMARY KEY (id) NOT ENFORCED);\n"
                        + "INSERT INTO docs VALUES (1);\n"
                        + "CREATE TEMPORARY TABLE slow (id BIGINT NOT NULL) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '1', 'number-of-rows' = '600');\n"
                        + "SET 'table.rtas-ctas.atomicity-enabled' = 'true';\n"
                        + "REPLACE TABLE docs (PRIMARY KEY (id) NOT ENFORCED)"
                        + " AS SELECT id FROM slow;\n");
        Process process = start("-f", script.toString());
        List<ProcessHandle> children;
        try {
            await(() -> !process.isAlive() || isStaged());
            assertThat(process.isAlive()).as(Files.readString(output())).isTrue();
            children = process.descendants().toList();
        } finally {
            process.destroyForcibly();
        }
        assertThat(children).as("gateway and client").hasSizeGreaterThanOrEqualTo(2);
        await(() -> children.stream().noneMatch(ProcessHandle::isAlive));

        Files.writeString(script, "SHOW TABLES;\nSELECT id FROM docs;\n");
        Run run = run("-f", script.toString());
        assertThat(run.code()).as("%s", run.lines()).isZero();
        assertThat(run.lines()).contains("| 1 |").filteredOn(l -> l.equals("| docs |")).hasSize(1);
        assertThat(String.join("\n", run.lines())).doesNotContain("_staging");
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("10 minutes are enough").isLessThan(end);
            Thread.sleep(100);
        }
    }

    private boolean isStaged() throws IOException {
        if (!Files.exists(warehouse().resolve(WarehouseOptions.METASTORE_FILE))) {
            return false;
        }
        try (Warehouse opened = Warehouse.open(WarehouseOptions.local(warehouse()))) {
            return !opened.metastore().stagedCollections("default").isEmpty();
        }
    }

    @Test
    void aScriptThatIsNotThereIsSaid() throws Exception {
        Run run = run("-f", "nope.sql");
        assertThat(run.code()).isEqualTo(Loam.FAILED);
        assertThat(run.lines()).contains("loam: there is no file nope.sql to read statements from");
    }
}
