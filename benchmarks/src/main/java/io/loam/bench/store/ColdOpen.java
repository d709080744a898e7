package io.loam.bench.store;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.job.LargeCollection;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T12: a collection that nobody has open, and a first search. */
public final class ColdOpen implements Figure {
    @Override
    public String id() {
        return "T12";
    }

    @Override
    public String what() {
        return "opening a warehouse and a collection, and a ranked search for two words with its"
                + " ten documents, nothing kept from before";
    }

    @Override
    public String target() {
        return "on a local store at most 150 ms; on S3 at most 6 requests";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Row> rows = new ArrayList<>();
        List<Goal> goals = new ArrayList<>();
        Map<String, String> failures = new LinkedHashMap<>();
        local(context, "long", LargeCollection::ofLongDocuments, rows, goals, failures);
        local(context, "many", LargeCollection::ofManyKeys, rows, goals, failures);
        s3(context, rows, goals, failures);
        return new FigureResult(
                        rows,
                        goals,
                        "on S3 the ten best come as keys with scores, and their documents in a row"
                                + " of their own; requests to the object store count, besides one"
                                + " to the metastore. On local disk the process is warm, and so is"
                                + " the page cache; the first search of a process, which loads"
                                + " classes and native libraries, stands in a row of its own")
                .without(failures);
    }

    private static void s3(
            BenchContext context, List<Row> rows, List<Goal> goals, Map<String, String> failures)
            throws InterruptedException {
        try {
            Map<String, Double> s3 =
                    context.fork(
                            ColdS3Arm.class,
                            Map.of(
                                    ColdS3Arm.DOCUMENTS,
                                    Integer.toString(context.size(500, 20_000)),
                                    ColdS3Arm.SEED,
                                    Long.toString(context.seed())),
                            List.of("-Xmx1g", "-Dloam.root=" + System.getProperty("loam.home")));
            s3.forEach((name, value) -> rows.add(Row.of("S3: " + name, Samples.of(value), "")));
            goals.add(Goal.atMost("requests", Samples.of(s3.get("requests, keys")), 6, ""));
        } catch (IOException e) {
            failures.put("S3", e.getMessage());
            goals.add(Goal.notMeasured("requests", 6, false, ""));
        }
    }

    private static void local(
            BenchContext context,
            String name,
            LargeCollection.Maker collection,
            List<Row> rows,
            List<Goal> goals,
            Map<String, String> failures)
            throws InterruptedException {
        List<Map<String, Double>> runs = new ArrayList<>();
        try {
            String warehouse = collection.make(context).toString();
            for (int i = 0; i < context.runs(); i++) {
                runs.add(
                        context.fork(
                                ColdOpenArm.class,
                                Map.of(
                                        ColdOpenArm.WAREHOUSE,
                                        warehouse,
                                        ColdOpenArm.TIMES,
                                        Integer.toString(context.size(3, 20)))));
            }
        } catch (IOException e) {
            failures.put(name, e.getMessage());
            goals.add(Goal.notMeasured(name + ", p50", 150, false, "ms"));
            return;
        }
        rows.add(Row.of(name + ": documents", Samples.of(runs, "documents"), ""));
        rows.add(Row.of(name + ": splits", Samples.of(runs, "splits"), ""));
        rows.add(Row.of(name + ": p50", Samples.of(runs, "p50"), "ms"));
        rows.add(Row.of(name + ": longest", Samples.of(runs, "max"), "ms"));
        rows.add(Row.of(name + ": CPU of each, mean", Samples.of(runs, "cpu ms"), "ms"));
        rows.add(Row.of(name + ": first of a process", Samples.of(runs, "first of process"), "ms"));
        goals.add(Goal.atMost(name + ", p50", Samples.of(runs, "p50"), 150, "ms"));
    }
}
