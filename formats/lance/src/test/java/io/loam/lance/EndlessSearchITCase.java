package io.loam.lance;

import io.loam.codec.testing.Campaign;
import io.loam.store.spi.IndexKind;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches that Lance begins and never ends, and how Loam keeps from them. Each runs in a process
 * of its own, which is killed.
 */
class EndlessSearchITCase {
    /** How long a process may say nothing, however busy the machine is. */
    private static final long SECONDS_WE_TAKE = 300;

    private static final long SECONDS_LANCE_TAKES = 30;

    @TempDir Path folder;

    /**
     * What a process came to.
     *
     * @param ended whether it did by itself
     * @param searches what each that ended found
     */
    private record Outcome(boolean ended, List<String> searches) {
        boolean isStuck() {
            return !ended && searches.size() < EndlessSearchMain.SEARCHES;
        }

        String text() {
            return ended
                    ? "all " + searches.size() + " end"
                    : "number " + (searches.size() + 1) + " does not end";
        }
    }

    @Test
    void noIndexIsSearchedInOneThread() throws Exception {
        long version = IndexOracleITCase.ofPoints(folder, new Random(7), IndexKind.IVF_PQ, 1);
        // With one partition and ten candidates an index finds others than the nearest.
        Outcome two = search(2, version, "loam", "1", "1");
        assertThat(two.ended()).isTrue();
        assertThat(two.searches()).hasSize(EndlessSearchMain.SEARCHES).contains("other");
        Outcome one = search(1, version, "loam", "1", "1");
        assertThat(one.ended()).isTrue();
        assertThat(one.searches()).hasSize(EndlessSearchMain.SEARCHES).containsOnly("exact");
    }

    @Test
    void segmentsWithPartitionsOfTheirOwnAreSearchedToTheEnd() throws Exception {
        long version = IndexOracleITCase.ofPoints(folder, new Random(7), IndexKind.IVF_PQ, 2);
        Outcome ours = search(2, version, "loam", "32", "20");
        assertThat(ours.searches()).hasSize(EndlessSearchMain.SEARCHES);
        assertThat(ours.ended()).isTrue();
    }

    /** What Lance does if it is asked without care, and whether there still is a reason for it. */
    @Test
    void lanceAloneNeverEnds() throws Exception {
        Assumptions.assumeTrue(Campaign.isFull(), "a search that does not end takes its time");
        StringBuilder table =
                new StringBuilder(
                        "| index | segments | threads | Lance alone | Loam |\n|---|---|---|---|---|\n");
        List<Outcome> alone = new ArrayList<>();
        for (IndexKind kind : List.of(IndexKind.IVF_PQ, IndexKind.IVF_RQ, IndexKind.IVF_HNSW_SQ)) {
            for (int segments = 1; segments <= 2; segments++) {
                Path place = Files.createDirectories(folder.resolve(kind + "-" + segments));
                long version = IndexOracleITCase.ofPoints(place, new Random(7), kind, segments);
                for (int threads = 1; threads <= 2; threads++) {
                    Outcome lance =
                            search(SECONDS_LANCE_TAKES, threads, place, version, "lance", "0");
                    Outcome ours =
                            search(SECONDS_WE_TAKE, threads, place, version, "loam", "32", "20");
                    alone.add(lance);
                    table.append(
                            "| %s | %d | %d | %s | %s |%n"
                                    .formatted(kind, segments, threads, lance.text(), ours.text()));
                    assertThat(ours.ended()).as("%s %d %d", kind, segments, threads).isTrue();
                }
            }
        }
        Campaign.report("endless searches", table.toString());
        assertThat(alone).anyMatch(Outcome::isStuck);
    }

    private Outcome search(int threads, long version, String... how) throws Exception {
        return search(SECONDS_WE_TAKE, threads, folder, version, how);
    }

    private Outcome search(long seconds, int threads, Path place, long version, String... how)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "search", ".out");
        String[] arguments = new String[how.length + 2];
        arguments[0] = place.toString();
        arguments[1] = Long.toString(version);
        System.arraycopy(how, 0, arguments, 2, how.length);
        ProcessBuilder child = NativeChild.of(EndlessSearchMain.class, arguments);
        child.environment().put("LANCE_CPU_THREADS", Integer.toString(threads));
        Process process =
                child.redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .directory(folder.toFile())
                        .start();
        boolean ended;
        try {
            ended = awaitEnd(process, out, TimeUnit.SECONDS.toNanos(seconds));
        } finally {
            process.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(out);
        if (ended) {
            assertThat(process.exitValue()).as("%s", lines).isZero();
        }
        return new Outcome(
                ended,
                lines.stream()
                        .filter(line -> line.startsWith("::end "))
                        .map(line -> line.substring("::end ".length()))
                        .toList());
    }

    /** Whether it came to its end, before it said nothing for too long. */
    private static boolean awaitEnd(Process process, Path out, long nanos)
            throws IOException, InterruptedException {
        long said = -1;
        long at = System.nanoTime();
        while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
            long now = System.nanoTime();
            if (Files.size(out) != said) {
                said = Files.size(out);
                at = now;
            } else if (now - at > nanos) {
                return false;
            }
        }
        return true;
    }
}
