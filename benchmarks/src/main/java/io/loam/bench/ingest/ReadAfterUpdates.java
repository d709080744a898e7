package io.loam.bench.ingest;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.input.InputFile;
import io.loam.bench.input.InputSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T4: what updates cost readers. */
public final class ReadAfterUpdates implements Figure {
    private static final String MAINTAINED = SystemUnderTest.LOAM + " and its side jobs";
    private static final List<String> SYSTEMS =
            List.of(
                    SystemUnderTest.LOAM,
                    MAINTAINED,
                    SystemUnderTest.PAIMON,
                    SystemUnderTest.ICEBERG);
    private static final int STEPS = 10;

    @Override
    public String id() {
        return "T4";
    }

    @Override
    public String what() {
        return "read of everything after updates of half the rows in 10 commits, against the same"
                + " rows appended once";
    }

    @Override
    public String target() {
        return "at most 1.15 x, and better than Iceberg (b) and Paimon (c)";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        int base = context.size(10_000, 200_000);
        int step = base / 2 / STEPS;
        Path updates =
                InputFile.generate(
                        context.inputs(),
                        InputSpec.of(context.seed(), base)
                                .withChanges(STEPS * step, 1)
                                .withScatteredUpdates());
        Path once = folded(updates);
        Map<String, String> failures = new LinkedHashMap<>();
        List<BenchContext.Contestant> readers = new ArrayList<>();
        Path tables = Files.createDirectories(context.inputs().resolve("tables"));
        for (String name : SYSTEMS) {
            try {
                readers.add(reader(context, tables, name, updates, once, base, step));
            } catch (IOException e) {
                failures.put(name, e.getMessage()); // the others can still be compared
            }
        }
        Map<String, Map<String, Samples>> measured = context.inTurn(readers, failures);
        if (!measured.containsKey(SystemUnderTest.LOAM)) {
            throw new IOException(failures.toString());
        }
        return result(measured, failures);
    }

    private static FigureResult result(
            Map<String, Map<String, Samples>> measured, Map<String, String> failures) {
        List<Row> rows = new ArrayList<>();
        measured.forEach(
                (system, values) -> {
                    Samples once = values.get("onceMs");
                    rows.add(Row.of(system + ", appended once", once, "ms"));
                    rows.add(
                            Row.of(
                                    system + ", after updates",
                                    values.get("updatedMs"),
                                    "ms",
                                    once));
                });
        Samples loam = measured.get(SystemUnderTest.LOAM).get("ratio");
        List<Goal> goals = new ArrayList<>();
        goals.add(Goal.atMost("after updates", loam, 1.15, "x"));
        for (String peer : List.of(SystemUnderTest.PAIMON, SystemUnderTest.ICEBERG)) {
            String name = "beside " + peer + "'s";
            goals.add(
                    measured.containsKey(peer)
                            ? Goal.atMost(name, loam.over(measured.get(peer).get("ratio")), 1, "x")
                            : Goal.notMeasured(name, 1, false, "x"));
        }
        return new FigureResult(rows, goals, "").without(failures);
    }

    private static BenchContext.Contestant reader(
            BenchContext context,
            Path tables,
            String name,
            Path updates,
            Path once,
            int base,
            int step)
            throws IOException, InterruptedException {
        boolean maintained = name.equals(MAINTAINED);
        String system = maintained ? SystemUnderTest.LOAM : name;
        Map<String, String> args = new HashMap<>();
        args.put(SystemUnderTest.ARGUMENT, system);
        args.put(Arguments.PARALLELISM, "2");
        args.put(Arguments.TEXT, "false");
        args.put(Arguments.VECTORS, "0");
        args.put(Arguments.DIMENSION, "0");
        args.put(Steps.STEP, Integer.toString(step));
        args.put(ReadAll.UPDATED, tables.resolve(name.replace(' ', '-')).toString());
        args.put(ReadAll.ONCE, tables.resolve(system + "-once").toString());
        Map<String, String> build = new HashMap<>(args);
        build.put(Arguments.INPUT, updates.toString());
        build.put(Stepped.TABLE, args.get(ReadAll.UPDATED));
        build.put(Stepped.MAINTAIN, Boolean.toString(maintained));
        build.put(Steps.BASE, Integer.toString(base));
        context.forkOnce(Stepped.class, build);
        if (!maintained) {
            build.put(Arguments.INPUT, once.toString());
            build.put(Stepped.TABLE, args.get(ReadAll.ONCE));
            build.put(IcebergSystem.APPEND, "true");
            context.forkOnce(Stepped.class, build);
        }
        return new BenchContext.Contestant(name, ReadAll.class, args);
    }

    /** The last record of each key. */
    private static Path folded(Path updates) throws IOException {
        InputFile file = InputFile.open(updates);
        Map<String, Integer> newest = new LinkedHashMap<>();
        for (int i = 0; i < file.records(); i++) {
            newest.put(file.entry(i).key(), i);
        }
        Path once = updates.resolveSibling("once-" + updates.getFileName());
        InputFile.write(once, newest.values().stream().map(file::entry).iterator(), newest.size());
        return once;
    }
}
