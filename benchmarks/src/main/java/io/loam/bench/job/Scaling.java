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

/** What a second subtask brings. */
public final class Scaling implements Figure {
    private static final int MOST_RUNS = 3;

    @Override
    public String id() {
        return "T13";
    }

    @Override
    public String what() {
        return "parallelism 1 to 2: rows, text and a vector, inserted at full load";
    }

    @Override
    public String target() {
        return "at least 1.7 times";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Double> one = new ArrayList<>();
        List<Double> two = new ArrayList<>();
        for (int run = 0; run < Math.min(MOST_RUNS, context.runs()); run++) {
            one.add(perSecond(context, 1, run));
            two.add(perSecond(context, 2, run));
        }
        Samples ofOne = new Samples(one);
        Samples ofTwo = new Samples(two);
        return new FigureResult(
                List.of(
                        Row.of("1 subtask", ofOne, "documents/s"),
                        Row.of("2 subtasks", ofTwo, "documents/s", ofOne)),
                List.of(Goal.atLeast("2 subtasks to 1", ofTwo.over(ofOne), 1.7, "x")),
                "on two cores: one subtask keeps more than one of them busy, as the generator, the"
                        + " fold and the thread that builds units go on beside each other");
    }

    private static double perSecond(BenchContext context, int parallelism, int run)
            throws Exception {
        return context.fork(
                        InsertArm.class,
                        Map.of(
                                InsertArm.PARALLELISM, Integer.toString(parallelism),
                                InsertArm.WARM_UP, Integer.toString(context.size(2_000, 30_000)),
                                InsertArm.DOCUMENTS, Integer.toString(context.size(4_000, 60_000)),
                                InsertArm.SEED, Long.toString(context.seed() + run)))
                .get("documents/s");
    }
}
