package io.loam.jobs.cli;

import io.loam.jobs.ChildCommand;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A newcomer's file becomes a ranked search, as docs/sql.md shows it. */
class SqlCommandITCase {
    private static final Path PAGE = Path.of("../docs/sql.md");

    @TempDir Path directory;

    private record Run(int code, List<String> lines) {}

    private Run run(String... more) throws Exception {
        Path output = directory.resolve("out.txt");
        List<String> arguments = new ArrayList<>(List.of("sql"));
        arguments.addAll(
                List.of("--warehouse", directory.resolve("it's mine/warehouse").toString()));
        arguments.addAll(List.of(more));
        Process process =
                new ProcessBuilder(
                                ChildCommand.of(
                                        List.of(
                                                "-Xmx256m",
                                                "-Dloam.home=..",
                                                "-Djava.io.tmpdir=" + temp()),
                                        Loam.class,
                                        arguments))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
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

    @Test
    void aScriptThatIsNotThereIsSaid() throws Exception {
        Run run = run("-f", "nope.sql");
        assertThat(run.code()).isEqualTo(Loam.FAILED);
        assertThat(run.lines()).contains("loam: there is no file nope.sql to read statements from");
    }
}
