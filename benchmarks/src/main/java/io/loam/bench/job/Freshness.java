package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** T6: how long until a search finds what was written. */
public final class Freshness implements Figure {
    private static final int MOST_RUNS = 2;

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
            runs.add(
                    context.fork(
                            FreshnessArm.class,
                            Map.of(
                                    FreshnessArm.FULL_LOAD,
                                    Integer.toString(context.size(6_000, 60_000)),
                                    FreshnessArm.SECONDS,
                                    Integer.toString(context.size(4, 15)),
                                    FreshnessArm.SEED,
                                    Long.toString(context.seed() + i))));
        }
        return new FigureResult(
                List.of(
                        Row.of("p50", Samples.of(runs, "p50"), "ms"),
                        Row.of("p99", Samples.of(runs, "p99"), "ms"),
                        Row.of("longest", Samples.of(runs, "max"), "ms"),
                        Row.of(
                                "opening a version and the search, mean",
                                Samples.of(runs, "search ms"),
                                "ms"),
                        Row.of("versions", Samples.of(runs, "versions"), ""),
                        Row.of("full load", Samples.of(runs, "full load"), "documents/s"),
                        Row.of("half load", Samples.of(runs, "half load"), "documents/s")),
                List.of(
                        Goal.atMost("p50", Samples.of(runs, "p50"), 1_200, "ms"),
                        Goal.atMost("p99", Samples.of(runs, "p99"), 2_500, "ms")),
                "searcher, job, side jobs and generator share the cores");
    }
}
