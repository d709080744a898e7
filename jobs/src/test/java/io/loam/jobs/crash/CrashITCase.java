package io.loam.jobs.crash;

import io.loam.codec.testing.Campaign;
import io.loam.store.FailPoint;
import io.loam.store.LocalFiles;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills processes of a running cluster with SIGKILL, at fail points and at random moments. The full
 * form goes through every point with every process; {@code -Dloam.points=A,B} picks points, {@code
 * -Dloam.random=n} the number of runs with two random kills.
 */
class CrashITCase {
    private static final int RANDOM_RUNS = 30;
    private static final int FIRST_RANDOM = 1_000;
    private static final int RUNS_OF_A_SESSION = 6;

    @Test
    void nothingIsLostOrDoubledWhicheverProcessDiesWhen() throws Exception {
        long seed = Long.getLong("loam.seed", 20_261_130L);
        Path folder = Path.of("target", "crash").toAbsolutePath();
        LocalFiles.delete(folder);
        List<CrashResult> results = new ArrayList<>();
        try (CrashBench bench = new CrashBench(folder)) {
            List<CrashPlan> plans = plans(seed);
            for (int from = 0; from < plans.size(); ) {
                from += session(bench, plans.subList(from, plans.size()), results);
            }
        }
        Campaign.report("crashes", CrashReport.of(results));
        assertThat(results).allSatisfy(result -> assertThat(result.violations()).isEmpty());
        LocalFiles.delete(folder);
    }

    /** Some runs on one collection; how many it were. */
    private static int session(CrashBench bench, List<CrashPlan> plans, List<CrashResult> results)
            throws Exception {
        CrashPlan first = plans.get(0);
        int runs = 0;
        try (CrashSession session =
                new CrashSession(bench, "session" + first.number(), first.seed())) {
            for (CrashPlan plan : plans.subList(0, Math.min(plans.size(), RUNS_OF_A_SESSION))) {
                System.out.println(plan);
                CrashResult result = session.run(plan);
                System.out.println(result);
                results.add(result);
                runs++;
                if (!result.violations().isEmpty()) {
                    return runs;
                }
            }
            List<String> wrong = session.finish();
            System.out.println("index: " + (wrong.isEmpty() ? "as the rows" : wrong));
            results.get(results.size() - 1).violations().addAll(wrong);
        }
        return runs;
    }

    private static List<CrashPlan> plans(long seed) {
        List<CrashPlan> plans = new ArrayList<>();
        if (Campaign.isFull()) {
            for (FailPoint point : points()) {
                for (Victim victim : Victim.values()) {
                    plans.add(atPoint(point, victim, seed));
                }
            }
        } else {
            plans.add(atPoint(FailPoint.SWAPPED, Victim.TASK_MANAGER, seed));
            plans.add(atPoint(FailPoint.PUT_MANIFEST, Victim.DATABASE, seed));
            plans.add(atPoint(FailPoint.UNIT_SPLIT, Victim.TASK_MANAGER, seed));
            plans.add(atPoint(FailPoint.AGGREGATED, Victim.JOB_MANAGER, seed));
            plans.add(atPoint(FailPoint.REBUILD_KEY, Victim.TASK_MANAGER, seed));
        }
        int random = Integer.getInteger("loam.random", Campaign.size(1, RANDOM_RUNS));
        for (int i = 0; i < random; i++) {
            Victim victim = Victim.values()[i % Victim.values().length];
            plans.add(plan(FIRST_RANDOM + i, null, victim, seed));
        }
        // One job sees all kinds of failures, one after another.
        Collections.shuffle(plans, new Random(seed));
        return plans;
    }

    private static CrashPlan atPoint(FailPoint point, Victim victim, long seed) {
        int number = point.ordinal() * Victim.values().length + victim.ordinal();
        return plan(number, point, victim, seed);
    }

    /** A run has the same seed whichever others there are. */
    private static CrashPlan plan(int number, FailPoint point, Victim victim, long seed) {
        long own = new Random(seed * 1_000 + number).nextLong();
        return new CrashPlan(number, point, victim, own);
    }

    /** Those that the job comes to; side jobs and erasures are no part of it. */
    private static List<FailPoint> points() {
        String chosen = System.getProperty("loam.points");
        return chosen == null
                ? Stream.of(FailPoint.values())
                        .filter(point -> !point.name().startsWith("MAINTENANCE_"))
                        .filter(point -> !point.name().startsWith("ERASURE_"))
                        .toList()
                : List.of(chosen.split(",")).stream().map(FailPoint::valueOf).toList();
    }
}
