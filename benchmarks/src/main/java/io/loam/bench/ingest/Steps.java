package io.loam.bench.ingest;

import io.loam.bench.Samples;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times a system step by step: a base first, then checkpoints of as many rows each, one after the
 * other.
 */
final class Steps {
    static final String BASE = "base";
    static final String STEP = "step";
    private static final int WARM_UP = 2;

    private Steps() {}

    /** What a system does with records {@code from} to {@code to} until they are committed. */
    interface Step {
        void run(int from, int to) throws Exception;
    }

    static Map<String, Double> run(Arguments arguments, int records, Step step) throws Exception {
        int base = arguments.number(BASE);
        int size = arguments.number(STEP);
        long started = System.nanoTime();
        if (base > 0) {
            step.run(0, base);
        }
        double baseSeconds = (System.nanoTime() - started) / 1e9;
        System.out.printf("%d base rows in %.2f s%n", base, baseSeconds);
        List<Double> seconds = new ArrayList<>();
        for (int from = base; from + size <= records; from += size) {
            long begin = System.nanoTime();
            step.run(from, from + size);
            seconds.add((System.nanoTime() - begin) / 1e9);
            System.out.printf("step at %d in %.3f s%n", from, seconds.get(seconds.size() - 1));
        }
        if (seconds.isEmpty()) {
            return Map.of("baseSeconds", baseSeconds);
        }
        // The first ones run code that is not compiled yet.
        List<Double> counted =
                seconds.size() > 2 * WARM_UP ? seconds.subList(WARM_UP, seconds.size()) : seconds;
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("perSecond", size / new Samples(counted).median());
        values.put("stepMs", new Samples(counted).median() * 1000);
        values.put("baseSeconds", baseSeconds);
        return values;
    }
}
