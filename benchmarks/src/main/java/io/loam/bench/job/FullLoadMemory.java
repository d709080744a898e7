package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

import java.util.List;
import java.util.Map;

/** T11: memory of a job at full load. */
public final class FullLoadMemory implements Figure {
    private static final double MB_PER_GIB = 1_073.741824;

    @Override
    public String id() {
        return "T11";
    }

    @Override
    public String what() {
        return "heap and native memory of a job at full load on 3 million keys, index in RocksDB";
    }

    @Override
    public String target() {
        return "at most 2 GiB";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        Map<String, Double> grown = LargeCollection.growth(context);
        return new FigureResult(
                List.of(
                        Row.of("few keys: all memory", mb(grown, "small resident MB"), "MB"),
                        Row.of("few keys: heap of it", mb(grown, "small heap MB"), "MB"),
                        Row.of("many keys: all memory", mb(grown, "large resident MB"), "MB"),
                        Row.of("many keys: heap of it", mb(grown, "large heap MB"), "MB")),
                List.of(
                        Goal.atMost(
                                "all memory",
                                Samples.of(grown.get("large resident MB") / MB_PER_GIB),
                                2,
                                "GiB")),
                "most anonymous memory of the process of T7 while it replaces documents: both"
                        + " clusters, side jobs and generator included; page cache and mapped files"
                        + " not; heap limited to 1 GiB, managed memory to 256 MiB a cluster");
    }

    private static Samples mb(Map<String, Double> grown, String quantity) {
        return Samples.of(grown.get(quantity));
    }
}
