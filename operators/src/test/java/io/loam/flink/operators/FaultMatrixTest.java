package io.loam.flink.operators;

import io.loam.codec.testing.Campaign;
import io.loam.flink.operators.FaultCell.Outcome;
import io.loam.flink.operators.FaultCell.Target;
import io.loam.flink.operators.FaultCell.Use;
import io.loam.flink.operators.FaultCell.Way;
import io.loam.flink.operators.FaultRun.Start;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.FaultPlan.Rule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every operation of the stores that a job asks for fails in every way it can, at several uses, in
 * four ways of a job. After each cell the collection is verified against the log, and the outcome
 * is the one that {@code fault-matrix.txt} says.
 *
 * <p>{@code -Dloam.cells=<n>} runs so many cells, {@code -Dloam.cell=<regex>} those whose name
 * holds it, such as {@code target=STAT.*fault=STALE}. The run writes its table to {@code
 * target/fault-matrix.txt}.
 */
class FaultMatrixTest {
    private static final int SHORT_FORM = 150;

    /** Longer than the lease stands. */
    private static final long SLOW_MS = Duration.ofSeconds(45).toMillis();

    /** Longer than a commit may take. */
    private static final long STALLED_MS = Duration.ofMinutes(11).toMillis();

    @TempDir Path directory;

    private final Map<Way, Start> starts = new EnumMap<>(Way.class);
    private final Map<Way, Map<Target, Integer>> uses = new EnumMap<>(Way.class);

    @Test
    void everyCellEndsAsExpectedAndNothingIsViolated() throws Exception {
        for (Way way : Way.values()) {
            starts.put(way, Start.of(way, directory));
            uses.put(way, observe(way));
        }
        List<FaultCell> cells = cells();
        long seed = Campaign.seed();
        System.out.println("replay with -Dloam.seed=" + seed);
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        Map<FaultCell, Outcome> actual = runAll(chosen(cells, seed), wrong);
        report(actual);
        assertThat(wrong).as("cells with a violation; seed %d", seed).isEmpty();
        FaultTable expected = FaultTable.expected();
        assertThat(expected.outcomes().keySet())
                .as("cells with an expectation")
                .isEqualTo(new LinkedHashSet<>(cells));
        expected.outcomes().keySet().retainAll(actual.keySet());
        assertThat(new FaultTable(actual).print()).isEqualTo(expected.print());
    }

    /** How often a job without faults uses each operation. */
    private Map<Target, Integer> observe(Way way) throws Exception {
        Start start = starts.get(way);
        try (FaultWorld world = start.world().copy(0)) {
            FaultRun run = new FaultRun(start, world, directory);
            assertThat(run.run()).isEqualTo(Outcome.NO_EFFECT);
            assertThat(run.operations()).allMatch(FaultMatrixTest::isTarget);
            Map<Target, Integer> counts = run.counts();
            if (way != Way.RESTART) {
                // Read only after a swap without an answer, see run.
                counts.put(Target.POINTER, 1);
            }
            return counts;
        }
    }

    private static boolean isTarget(String operation) {
        return Arrays.stream(Target.values()).anyMatch(target -> target.matches(operation));
    }

    private List<FaultCell> cells() {
        List<FaultCell> cells = new ArrayList<>();
        for (Way way : Way.values()) {
            for (Target target : Target.values()) {
                for (Use use : Use.values()) {
                    for (Fault fault : Fault.values()) {
                        if (fault != Fault.NONE
                                && use.applies(uses.get(way).get(target))
                                && target.excuse(fault).isEmpty()) {
                            cells.add(new FaultCell(way, target, use, fault));
                        }
                    }
                }
            }
        }
        return cells;
    }

    private static List<FaultCell> chosen(List<FaultCell> cells, long seed) {
        int size = Campaign.size(Integer.getInteger("loam.cells", SHORT_FORM), cells.size());
        Pattern wanted = Pattern.compile(System.getProperty("loam.cell", ""));
        List<FaultCell> shuffled = new ArrayList<>(cells);
        shuffled.removeIf(cell -> !wanted.matcher(cell.toString()).find());
        Collections.shuffle(shuffled, new Random(seed));
        return shuffled.subList(0, Math.min(size, shuffled.size()));
    }

    /** Side by side: every cell has a world of its own. */
    private Map<FaultCell, Outcome> runAll(List<FaultCell> cells, List<String> wrong)
            throws InterruptedException {
        Map<FaultCell, Outcome> actual = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(Campaign.size(2, 4));
        for (FaultCell cell : cells) {
            threads.submit(
                    () -> {
                        try {
                            actual.put(cell, run(cell));
                        } catch (Exception | AssertionError e) {
                            wrong.add(cell + ": " + e);
                        }
                    });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(2, TimeUnit.HOURS)).isTrue();
        return actual;
    }

    private Outcome run(FaultCell cell) throws Exception {
        Start start = starts.get(cell.way());
        try (FaultWorld world = start.world().copy(cell.toString().hashCode())) {
            world.faults.slowness(
                    fault ->
                            world.clockMs.addAndGet(fault == Fault.STALLED ? STALLED_MS : SLOW_MS));
            if (cell.target() == Target.POINTER) {
                world.faults.rule(
                        Target.SWAP_POINTER::matches, use -> use == 1, Fault.TIMEOUT_AFTER);
            }
            int total = uses.get(cell.way()).get(cell.target());
            Rule rule =
                    world.faults.rule(
                            cell.target()::matches,
                            use -> cell.use().strikes(use, total),
                            cell.fault());
            FaultRun run = new FaultRun(start, world, directory);
            Outcome outcome = run.run();
            assertThat(rule.fired()).as("operations that failed").isNotEmpty();
            if (run.failure() != null) {
                requireNamed(run.failure(), rule, cell);
                return outcome;
            }
            return gotOver(cell, run) ? Outcome.RETRIED : Outcome.NO_EFFECT;
        }
    }

    /** Whether the job that did not fail had to do anything else than it does without faults. */
    private boolean gotOver(FaultCell cell, FaultRun run) {
        if (cell.fault() == Fault.SLOW || cell.fault() == Fault.STALLED) {
            // Units that became old meanwhile are looked up before they are published, no more.
            return false;
        }
        Map<Target, Integer> without = new EnumMap<>(uses.get(cell.way()));
        Map<Target, Integer> with = run.counts();
        if (cell.target() != Target.POINTER) {
            without.remove(Target.POINTER);
            with.remove(Target.POINTER, 0);
        }
        boolean looksAgain = !run.operations().stream().allMatch(FaultMatrixTest::isTarget);
        return looksAgain || !with.equals(without);
    }

    /** A failure says which object or operation it was, unless it is about how long it took. */
    private static void requireNamed(Exception failure, Rule rule, FaultCell cell) {
        if (cell.fault() == Fault.STALLED) {
            return;
        }
        StringBuilder messages = new StringBuilder();
        for (Throwable e = failure; e != null; e = e.getCause()) {
            messages.append(e.getMessage()).append('\n');
        }
        assertThat(rule.fired())
                .as(messages.toString())
                .anyMatch(failed -> messages.indexOf(subject(failed)) >= 0);
    }

    /** The path, key or id an operation is about, or the operation. */
    private static String subject(String operation) {
        return operation.substring(operation.lastIndexOf(' ') + 1);
    }

    private static void report(Map<FaultCell, Outcome> actual) throws IOException {
        FaultTable table = new FaultTable(actual);
        Files.writeString(Path.of("target", "fault-matrix.txt"), table.print());
        Campaign.report(
                "faults",
                actual.size()
                        + " cells: operation x fault x use (first, middle, every third, every) x way"
                        + " of the job\n(apply, restart, repair, rebuild). After each: stores healed,"
                        + " job recovered, collection verified\nagainst the log. Violations: 0 (one"
                        + " fails the test).\n\n"
                        + table.byOutcome());
    }
}
