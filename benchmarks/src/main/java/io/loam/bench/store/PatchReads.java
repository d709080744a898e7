package io.loam.bench.store;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.job.LargeCollection;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T8: what is read for a patched document. */
public final class PatchReads implements Figure {
    private static final String TO_DOCUMENT = ", to the document";

    @Override
    public String id() {
        return "T8";
    }

    @Override
    public String what() {
        return "bytes read for each document when one key in 100 000 is patched";
    }

    @Override
    public String target() {
        return "at most 4 times the document";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Row> rows = new ArrayList<>();
        List<Goal> goals = new ArrayList<>();
        String oneIn = Integer.toString(context.size(5_000, 100_000));
        Map<String, String> failures = new LinkedHashMap<>();
        Map<String, LargeCollection.Maker> collections = new LinkedHashMap<>();
        collections.put("long", LargeCollection::ofLongDocuments);
        collections.put("many", LargeCollection::ofManyKeys);
        for (Map.Entry<String, LargeCollection.Maker> one : collections.entrySet()) {
            String name = one.getKey();
            try {
                measure(context, name, one.getValue().make(context), oneIn, rows, goals);
            } catch (IOException e) {
                failures.put(name, e.getMessage());
                goals.add(Goal.notMeasured(name + TO_DOCUMENT, 4, false, "x"));
            }
        }
        return new FigureResult(
                        rows,
                        goals,
                        "all that the process reads by system calls, cached or not: Lance's and ours; the"
                                + " version is opened once and not part of it. The first row of a data file"
                                + " costs its checksum, which is one of the whole file; rows of files that"
                                + " were checked (the first again) cost what Lance reads: blocks of columns"
                                + " it packs, and at least a page of the disk")
                .without(failures);
    }

    private static void measure(
            BenchContext context,
            String name,
            Path warehouse,
            String oneIn,
            List<Row> rows,
            List<Goal> goals)
            throws IOException, InterruptedException {
        List<Map<String, Double>> runs = new ArrayList<>();
        for (int i = 0; i < context.runs(); i++) {
            runs.add(
                    context.fork(
                            PatchArm.class,
                            Map.of(
                                    PatchArm.WAREHOUSE, warehouse.toString(),
                                    PatchArm.ONE_IN, oneIn,
                                    PatchArm.SEED, Long.toString(context.seed() + i))));
        }
        Samples document = Samples.of(runs, "document bytes");
        Samples first = Samples.of(runs, "first bytes");
        rows.add(Row.of(name + ": document", document, "B"));
        rows.add(Row.of(name + ": patched", Samples.of(runs, "patched"), ""));
        rows.add(Row.of(name + ": read for each", first, "B", document));
        rows.add(Row.of(name + ": as many others", Samples.of(runs, "later bytes"), "B", document));
        rows.add(Row.of(name + ": the first again", Samples.of(runs, "same bytes"), "B", document));
        rows.add(Row.of(name + ": opening the version", Samples.of(runs, "open bytes"), "B"));
        goals.add(Goal.atMost(name + TO_DOCUMENT, first.over(document), 4, "x"));
    }
}
