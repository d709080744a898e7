package io.loam.bench.job;

import io.loam.bench.BenchContext;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts without state on the collection of many keys, which two figures look at. */
final class Starts {
    private static final int MOST_RUNS = 2;
    private static final Map<String, Map<String, Double>> MEASURED = new HashMap<>();

    private Starts() {}

    static int runs(BenchContext context) {
        return Math.min(MOST_RUNS, context.runs());
    }

    static synchronized Map<String, Double> measured(BenchContext context, int parallelism, int run)
            throws IOException, InterruptedException {
        String which = parallelism + "/" + run;
        Map<String, Double> known = MEASURED.get(which);
        if (known == null) {
            known =
                    context.fork(
                            StartArm.class,
                            Map.of(
                                    StartArm.WAREHOUSE,
                                    LargeCollection.ofManyKeys(context).toString(),
                                    StartArm.PARALLELISM,
                                    Integer.toString(parallelism)),
                            List.of("-Xmx1g"));
            MEASURED.put(which, known);
        }
        return known;
    }
}
