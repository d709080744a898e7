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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills processes of a running cluster with SIGKILL, at fail points and at random moments. The full
 * form goes through every point with every process; {@code -Dloam.points=A,B} picks points, {@code
 * -Dloam.random=n} the number of runs with two random kills.
 */
class CrashITCase {
    private static final int RANDOM_RUNS = 30;
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
        Random seeds = new Random(seed);
        List<CrashPlan> plans = new ArrayList<>();
        if (Campaign.isFull()) {
            for (FailPoint point : points()) {
                for (Victim victim : Victim.values()) {
                    add(plans, point, victim, seeds);
                }
            }
        } else {
            add(plans, FailPoint.SWAPPED, Victim.TASK_MANAGER, seeds);
            add(plans, FailPoint.PUT_MANIFEST, Victim.DATABASE, seeds);
            add(plans, FailPoint.UNIT_SPLIT, Victim.TASK_MANAGER, seeds);
            add(plans, FailPoint.AGGREGATED, Victim.JOB_MANAGER, seeds);
            add(plans, FailPoint.REBUILD_KEY, Victim.TASK_MANAGER, seeds);
        }
        int random = Integer.getInteger("loam.random", Campaign.size(1, RANDOM_RUNS));
        for (int i = 0; i < random; i++) {
            add(plans, null, Victim.values()[i % Victim.values().length], seeds);
        }
        // One job sees all kinds of failures, one after another.
        Collections.shuffle(plans, seeds);
        return plans;
    }

    private static List<FailPoint> points() {
        String chosen = System.getProperty("loam.points");
        return chosen == null
                ? List.of(FailPoint.values())
                : List.of(chosen.split(",")).stream().map(FailPoint::valueOf).toList();
    }

    private static void add(List<CrashPlan> plans, FailPoint point, Victim victim, Random seeds) {
        plans.add(new CrashPlan(plans.size(), point, victim, seeds.nextLong()));
    }
}
