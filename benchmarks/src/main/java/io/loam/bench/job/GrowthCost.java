package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

import java.util.List;
import java.util.Map;

/** T7: what a document costs as the collection grows. */
public final class GrowthCost implements Figure {
    @Override
    public String id() {
        return "T7";
    }

    @Override
    public String what() {
        return "cost of a replaced document as a collection grows from 100 000 to 3 million keys,"
                + " replaced keys scattered, merges and compaction on";
    }

    @Override
    public String target() {
        return "at most 1.3 times";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        Map<String, Double> grown = LargeCollection.growth(context);
        Samples small = Samples.of(grown.get("small us"));
        Samples large = Samples.of(grown.get("large us"));
        Samples smallCpu = Samples.of(grown.get("small cpu us"));
        Samples largeCpu = Samples.of(grown.get("large cpu us"));
        return new FigureResult(
                List.of(
                        Row.of("time of a document, few keys", small, "us"),
                        Row.of("time of a document, many keys", large, "us", small),
                        Row.of("CPU of a document, few keys", smallCpu, "us"),
                        Row.of("CPU of a document, many keys", largeCpu, "us", smallCpu),
                        Row.of("live documents", Samples.of(grown.get("documents")), ""),
                        Row.of("splits", Samples.of(grown.get("splits")), ""),
                        Row.of("fragments", Samples.of(grown.get("fragments")), ""),
                        Row.of(
                                "deleted, not purged",
                                Samples.of(grown.get("deleted documents")),
                                ""),
                        Row.of("versions", Samples.of(grown.get("version")), ""),
                        Row.of("whole run", Samples.of(grown.get("seconds")), "s")),
                List.of(Goal.atMost("many keys to few", large.over(small), 1.3, "x")),
                "one run; generator, side jobs and both clusters are in the process, and count");
    }
}
