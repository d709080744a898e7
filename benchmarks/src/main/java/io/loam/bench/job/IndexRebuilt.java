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

/** T9: how fast a key index is read from the rows, beside putting the same keys. */
public final class IndexRebuilt implements Figure {
    @Override
    public String id() {
        return "T9";
    }

    @Override
    public String what() {
        return "rebuild of a key index of 3 million keys from the rows, against bare puts of as"
                + " many keys into the same state backend";
    }

    @Override
    public String target() {
        return "at least 0.8 of the puts with one subtask and with two; heap bounded";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Row> rows = new ArrayList<>();
        List<Goal> goals = new ArrayList<>();
        double keys = LargeCollection.keys(context);
        for (int parallelism : new int[] {1, 2}) {
            List<Double> rebuilt = new ArrayList<>();
            List<Double> puts = new ArrayList<>();
            List<Double> heap = new ArrayList<>();
            for (int run = 0; run < Starts.runs(context); run++) {
                Map<String, Double> start = Starts.measured(context, parallelism, run);
                rebuilt.add(keys / start.get("rebuild ms") * 1e3);
                heap.add(start.get("heap MB"));
                puts.add(keys / puts(context, parallelism) * 1e3);
            }
            String subtasks = parallelism + (parallelism == 1 ? " subtask" : " subtasks");
            Samples all = new Samples(rebuilt);
            Samples bare = new Samples(puts);
            rows.add(Row.of(subtasks + ": rebuilt", all, "keys/s", bare));
            rows.add(Row.of(subtasks + ": bare puts", bare, "keys/s"));
            rows.add(Row.of(subtasks + ": most heap used", new Samples(heap), "MB"));
            goals.add(Goal.atLeast(subtasks + ", to puts", all.over(bare), 0.8, "x"));
        }
        return new FigureResult(
                rows, goals, "heap is what was in use at most in a JVM of 1 GiB, garbage included");
    }

    private static double puts(BenchContext context, int parallelism) throws Exception {
        return context.fork(
                        PutsArm.class,
                        Map.of(
                                PutsArm.KEYS, Integer.toString(LargeCollection.keys(context)),
                                PutsArm.PARALLELISM, Integer.toString(parallelism)))
                .get("ms");
    }
}
