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

/** What a second subtask brings. */
public final class Scaling implements Figure {
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
        for (int run = 0; run < context.runs(); run++) {
            String seed = Long.toString(context.seed() + run);
            one.add(perSecond(context, 1, InsertArm.SEED, seed));
            two.add(perSecond(context, 2, InsertArm.SEED, seed));
        }
        List<Row> rows = new ArrayList<>(rows("", one, two));
        Map<String, String> failures = new LinkedHashMap<>();
        try {
            String file = WordNetInput.once(context).toString();
            rows.addAll(
                    rows(
                            "WordNet: ",
                            List.of(perSecond(context, 1, InsertArm.INPUT, file)),
                            List.of(perSecond(context, 2, InsertArm.INPUT, file))));
        } catch (IOException e) {
            failures.put("WordNet", e.getMessage());
        }
        Samples gain = new Samples(two).over(new Samples(one));
        return new FigureResult(
                        rows,
                        List.of(Goal.atLeast("2 subtasks to 1", gain, 1.7, "x")),
                        "on two cores: one subtask keeps more than one of them busy, as the"
                                + " generator, the fold and the thread that builds units go on"
                                + " beside each other")
                .without(failures);
    }

    private static List<Row> rows(String of, List<Double> one, List<Double> two) {
        Samples ofOne = new Samples(one);
        return List.of(
                Row.of(of + "1 subtask", ofOne, "documents/s"),
                Row.of(of + "2 subtasks", new Samples(two), "documents/s", ofOne));
    }

    private static double perSecond(
            BenchContext context, int parallelism, String input, String value)
            throws IOException, InterruptedException {
        return context.fork(
                        InsertArm.class,
                        Map.of(
                                InsertArm.PARALLELISM,
                                Integer.toString(parallelism),
                                InsertArm.WARM_UP,
                                Integer.toString(context.size(2_000, 30_000)),
                                InsertArm.DOCUMENTS,
                                Integer.toString(context.size(4_000, 60_000)),
                                input,
                                value))
                .get("documents/s");
    }
}
