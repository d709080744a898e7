package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.input.WordNetInput;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T6: how long until a search finds what was written. */
public final class Freshness implements Figure {
    private static final int MOST_RUNS = 3;

    @Override
    public String id() {
        return "T6";
    }

    @Override
    public String what() {
        return "from a document being given to the job until a search finds it, a checkpoint every"
                + " second, half load, side jobs beside it";
    }

    @Override
    public String target() {
        return "p50 at most 1.2 s, p99 at most 2.5 s";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Map<String, Double>> runs = new ArrayList<>();
        for (int i = 0; i < Math.min(MOST_RUNS, context.runs()); i++) {
            runs.add(run(context, InsertArm.SEED, Long.toString(context.seed() + i)));
        }
        List<Row> rows = new ArrayList<>(rows("", runs));
        Map<String, String> failures = new LinkedHashMap<>();
        try {
            String file = WordNetInput.once(context).toString();
            rows.addAll(rows("WordNet: ", List.of(run(context, InsertArm.INPUT, file))));
        } catch (IOException e) {
            failures.put("WordNet", e.getMessage());
        }
        return new FigureResult(
                        rows,
                        List.of(
                                Goal.atMost("p50", Samples.of(runs, "p50"), 1_200, "ms"),
                                Goal.atMost("p99", Samples.of(runs, "p99"), 2_500, "ms")),
                        "searcher, job, side jobs and generator share the cores")
                .without(failures);
    }

    private static Map<String, Double> run(BenchContext context, String input, String value)
            throws IOException, InterruptedException {
        return context.fork(
                FreshnessArm.class,
                Map.of(
                        FreshnessArm.FULL_LOAD,
                        Integer.toString(context.size(6_000, 60_000)),
                        FreshnessArm.SECONDS,
                        Integer.toString(context.size(4, 15)),
                        input,
                        value));
    }

    private static List<Row> rows(String of, List<Map<String, Double>> runs) {
        return List.of(
                Row.of(of + "p50", Samples.of(runs, "p50"), "ms"),
                Row.of(of + "p99", Samples.of(runs, "p99"), "ms"),
                Row.of(of + "longest", Samples.of(runs, "max"), "ms"),
                Row.of(
                        of + "opening a version and the search, mean",
                        Samples.of(runs, "search ms"),
                        "ms"),
                Row.of(of + "versions", Samples.of(runs, "versions"), ""),
                Row.of(of + "full load", Samples.of(runs, "full load"), "documents/s"),
                Row.of(of + "half load", Samples.of(runs, "half load"), "documents/s"));
    }
}
