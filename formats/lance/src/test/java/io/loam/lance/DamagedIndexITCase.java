package io.loam.lance;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Damaged files of an index: the process that searches lives on. */
class DamagedIndexITCase {
    @TempDir Path folder;

    private final Map<Integer, String> names = new TreeMap<>();
    private final Map<Integer, String> outcomes = new TreeMap<>();
    private int cases = -1;

    @Test
    void noDamageEndsTheProcess() throws Exception {
        String[] built = IndexOracleITCase.indexed(folder, new Random(5));
        List<String> deaths = new ArrayList<>();
        for (int next = 0; cases < 0 || next < cases; next = outcomes.size()) {
            int code = search(built[0], built[1], next);
            if (outcomes.size() < cases || cases < 0) {
                int last = outcomes.size();
                assertThat(names).as("the child ended at once, code %d", code).containsKey(last);
                deaths.add(names.get(last) + ": exit code " + code);
                outcomes.put(last, "died");
            }
        }
        outcomes.forEach((i, outcome) -> System.out.println(names.get(i) + ": " + outcome));
        assertThat(outcomes).hasSizeGreaterThan(40);
        assertThat(deaths).isEmpty();
    }

    private int search(String version, String segment, int first) throws Exception {
        Process child =
                NativeChild.of(
                                DamagedIndexMain.class,
                                folder.toString(),
                                version,
                                segment,
                                Integer.toString(first))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .directory(folder.toFile())
                        .start();
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                read(line);
            }
        }
        return child.waitFor();
    }

    private void read(String line) throws IOException {
        String[] words = line.split(" ", 3);
        switch (words[0]) {
            case "::cases" -> cases = Integer.parseInt(words[1]);
            case "::begin" -> names.put(Integer.parseInt(words[1]), words[2]);
            case "::end" -> outcomes.put(Integer.parseInt(words[1]), words[2]);
            default -> {
                // whatever libraries print
            }
        }
    }
}
