package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.BenchContext;
import io.loam.bench.BenchContext.Contestant;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.input.InputFile;
import io.loam.bench.input.InputSpec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T2: against the sink people write today. */
public final class CheckpointOfRows implements Figure {
    private static final int DIMENSION = 128;
    private static final int STEPS = 6;
    private static final String RATE = "perSecond";
    private static final String NAIVE = "mergeInsert (a), no index";
    private static final String KEYED = "mergeInsert (a), index of the key kept up";
    private static final String ALL = "mergeInsert (a), key, text and vector indexes kept up";
    private static final String LUCENE = "Lucene (d), updateDocument and commit, no vector";
    private static final String LOAM = "Loam, rows, text and vector";
    private static final String ROWS = "Loam, rows and vector, no text";

    @Override
    public String id() {
        return "T2";
    }

    @Override
    public String what() {
        return "rows/s at 10 000 rows a checkpoint, half of them updates, 200 000 base rows";
    }

    @Override
    public String target() {
        return "at least 10 x mergeInsert without text and vector indexes, with or without one of"
                + " the key, whichever is faster";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        int base = context.size(4_000, 200_000);
        int step = context.size(500, 10_000);
        Path input =
                InputFile.generate(
                        context.inputs(),
                        InputSpec.of(context.seed(), base)
                                .withChanges(STEPS * step, 0.5)
                                .withVectors(1, DIMENSION));
        Map<String, String> failures = new LinkedHashMap<>();
        Map<String, Map<String, Samples>> measured =
                context.inTurn(
                        List.of(
                                contestant(NAIVE, MergeInsertSteps.class, input, base, step),
                                contestant(KEYED, MergeInsertSteps.class, input, base, step),
                                contestant(LOAM, Stepped.class, input, base, step),
                                contestant(ROWS, Stepped.class, input, base, step).onlyOnce(),
                                contestant(ALL, MergeInsertSteps.class, input, base, step)
                                        .onlyOnce(),
                                contestant(LUCENE, LuceneSteps.class, input, base, step)
                                        .onlyOnce()),
                        failures);
        if (!measured.containsKey(LOAM) || !measured.containsKey(NAIVE)) {
            throw new IOException(failures.toString());
        }
        Samples best = measured.get(NAIVE).get(RATE);
        if (measured.containsKey(KEYED) && measured.get(KEYED).get(RATE).median() > best.median()) {
            best = measured.get(KEYED).get(RATE);
        }
        Samples loam = measured.get(LOAM).get(RATE);
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<String, Map<String, Samples>> one : measured.entrySet()) {
            rows.add(Row.of(one.getKey(), one.getValue().get(RATE), "rows/s", best));
        }
        rows.add(
                Row.of(
                        LOAM + ", a checkpoint with its commit",
                        measured.get(LOAM).get("stepMs"),
                        "ms"));
        return new FigureResult(
                        rows, List.of(Goal.atLeast("of mergeInsert", loam.over(best), 10, "x")), "")
                .without(failures);
    }

    private static Contestant contestant(
            String name, Class<? extends Arm> arm, Path input, int base, int step) {
        Map<String, String> args = new HashMap<>();
        args.put(Arguments.INPUT, input.toString());
        args.put(SystemUnderTest.ARGUMENT, SystemUnderTest.LOAM);
        args.put(Arguments.PARALLELISM, "2");
        args.put(Arguments.TEXT, Boolean.toString(!name.equals(ROWS)));
        args.put(Arguments.VECTORS, "1");
        args.put(Arguments.DIMENSION, Integer.toString(DIMENSION));
        args.put(Steps.BASE, Integer.toString(base));
        args.put(Steps.STEP, Integer.toString(step));
        args.put(
                MergeInsertSteps.INDEXES,
                name.equals(NAIVE) ? "none" : name.equals(KEYED) ? "key" : "all");
        if (name.equals(ALL)) {
            // Building its text index locks up where it finds two cores (LanceDB's issue 3568).
            args.put(Arm.ENVIRONMENT + "LANCE_CPU_THREADS", "4");
        }
        return new Contestant(name, arm, args);
    }
}
