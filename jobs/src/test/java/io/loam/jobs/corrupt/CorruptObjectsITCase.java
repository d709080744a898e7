package io.loam.jobs.corrupt;

import io.loam.codec.testing.Campaign;
import io.loam.jobs.ChildCommand;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Damages the objects of a collection one after the other. Whoever uses the collection says so and
 * names the object, or sees what was written; nothing wrong is published; and the process, with two
 * native libraries in it, lives on. The uses run in processes of their own: should one end, the
 * case it was at has failed and another process goes on behind it.
 */
class CorruptObjectsITCase {
    private static final int LONGEST_MINUTES = Campaign.size(15, 120);
    private static final List<String> OUTCOMES =
            List.of("reported", "no effect", "wrong value", "process ends");

    @TempDir Path directory;
    private final long seed = Campaign.seed();
    private final List<String> findings = new ArrayList<>();

    /** Kind and damage of the cases, and what came of them. */
    private final Map<Integer, String> titles = new TreeMap<>();

    private final Map<Integer, String> outcomes = new TreeMap<>();
    private int cases;
    private int processes;

    @Test
    void everyDamageIsReportedWithTheObject() throws Exception {
        System.out.println("corrupt objects: -Dloam.seed=" + seed);
        do {
            runFrom(titles.size());
        } while (titles.size() < cases);
        report();
        assertThat(findings).isEmpty();
        assertThat(outcomes).hasSize(cases);
        assertThat(outcomes.values())
                .filteredOn(outcome -> outcome.equals("reported"))
                .hasSizeGreaterThan(cases / 3);
    }

    private void runFrom(int first) throws Exception {
        Path folder = Files.createDirectory(directory.resolve("child" + processes++));
        Path output = directory.resolve(folder.getFileName() + ".out");
        List<String> flags =
                new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        if (Campaign.isFull()) {
            flags.add("-Dloam.campaign=true");
        }
        flags.add(
                "-Djava.io.tmpdir=" + Files.createDirectory(directory.resolve("tmp" + processes)));
        Process child =
                new ProcessBuilder(
                                ChildCommand.of(
                                        flags,
                                        CorruptMain.class,
                                        List.of(
                                                folder.toString(),
                                                Long.toString(seed),
                                                Integer.toString(first))))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .directory(folder.toFile())
                        .start();
        boolean ended = child.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
        child.destroyForcibly().waitFor();
        read(output);
        if (!ended || child.exitValue() != 0) {
            assertThat(titles.size()).as(tail(output)).isGreaterThan(first);
            int last = titles.size() - 1;
            outcomes.put(last, "process ends");
            findings.add(
                    last
                            + ", "
                            + titles.get(last)
                            + ": "
                            + (ended ? "the process ended with " + child.exitValue() : "it hangs")
                            + ": "
                            + tail(output));
        }
    }

    private static String tail(Path output) throws IOException {
        List<String> lines = Files.readAllLines(output);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 25), lines.size()));
    }

    /** Takes down what a process said. */
    private void read(Path output) throws IOException {
        for (String line : Files.readAllLines(output)) {
            if (!line.startsWith(CorruptMain.SAYS)) {
                continue;
            }
            String[] parts = line.substring(CorruptMain.SAYS.length()).split("\\|", 3);
            switch (parts[0]) {
                case "cases" -> cases = Integer.parseInt(parts[1]);
                case "begin" -> titles.put(Integer.parseInt(parts[1]), parts[2]);
                case "end" -> outcomes.put(Integer.parseInt(parts[1]), parts[2]);
                case "finding" -> findings.add(line);
                default -> System.out.println(line);
            }
        }
    }

    private void report() {
        Map<String, int[]> rows = new TreeMap<>();
        int[] all = new int[OUTCOMES.size()];
        outcomes.forEach(
                (number, outcome) -> {
                    int column = OUTCOMES.indexOf(outcome);
                    if (column >= 0) {
                        rows.computeIfAbsent(titles.get(number), any -> new int[all.length])[
                                column]++;
                        all[column]++;
                    }
                });
        StringBuilder table =
                new StringBuilder("| object | damage | " + String.join(" | ", OUTCOMES) + " |\n");
        table.append("|---|---|--:|--:|--:|--:|\n");
        rows.forEach((title, counts) -> table.append(row(title, counts)));
        table.append(row("all | ", all));
        findings.forEach(finding -> System.out.println("finding: " + finding));
        Campaign.report("corrupt objects", table.toString());
    }

    private static String row(String title, int[] counts) {
        StringBuilder row = new StringBuilder("| " + title);
        for (int count : counts) {
            row.append(" | ").append(count);
        }
        return row.append(" |\n").toString();
    }
}
