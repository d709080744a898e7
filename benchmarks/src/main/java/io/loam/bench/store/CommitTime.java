package io.loam.bench.store;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** T5: what a commit costs as fragments and splits become many. */
public final class CommitTime implements Figure {
    /** A few seconds of each size are enough for its 99th percentile; JVMs make the rest. */
    private static final int MOST_RUNS = 3;

    /** A job this wide stages as many units at a checkpoint, at least. */
    private static final int SUBTASKS = 64;

    @Override
    public String id() {
        return "T5";
    }

    @Override
    public String what() {
        return "commit of 1 000 changed keys, swap of the pointer included, on a local store with"
                + " 10, 100 and 1 000 fragments and splits";
    }

    @Override
    public String target() {
        return "keys of 32 of them: p99 at most 100 ms, p50 at most twice from 10 to 1 000; keys of"
                + " all of 1 000: at most 1.3 times the bare puts";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        int commits = context.size(4, 30);
        List<Row> rows = new ArrayList<>();
        Runs ten = new Runs(context, 10, 32, commits, rows);
        Runs hundred = new Runs(context, 100, 32, commits, rows);
        int most = context.size(200, 1_000);
        Runs thousand = new Runs(context, most, 32, commits, rows);
        new Runs(context, 100, 32, commits, SUBTASKS, rows);
        Runs scattered = new Runs(context, most, 0, context.size(2, 8), rows);
        return new FigureResult(
                rows,
                List.of(
                        Goal.atMost("p99 at 10", ten.of("commit p99"), 100, "ms"),
                        Goal.atMost("p99 at 100", hundred.of("commit p99"), 100, "ms"),
                        Goal.atMost("p99 at " + most, thousand.of("commit p99"), 100, "ms"),
                        Goal.atMost(
                                "p50 at " + most + " to 10",
                                thousand.of("commit p50").over(ten.of("commit p50")),
                                2,
                                "x"),
                        Goal.atMost(
                                "scattered, to bare puts",
                                scattered.of("commit p50").over(scattered.of("bare p50")),
                                1.3,
                                "x")),
                "the bare puts are the same bytes, put in the same rounds right after each commit;"
                        + " a commit also reads what it replaces and swaps the pointer. Of 10"
                        + " fragments only 10 can lose rows, which are 23 puts; of more 32, which"
                        + " are 67");
    }

    /** Several runs of one size. */
    private static final class Runs {
        private final List<Map<String, Double>> runs = new ArrayList<>();

        Runs(BenchContext context, int fragments, int touched, int commits, List<Row> rows)
                throws IOException, InterruptedException {
            this(context, fragments, touched, commits, 1, rows);
        }

        Runs(
                BenchContext context,
                int fragments,
                int touched,
                int commits,
                int units,
                List<Row> rows)
                throws IOException, InterruptedException {
            for (int i = 0; i < Math.min(MOST_RUNS, context.runs()); i++) {
                runs.add(
                        context.fork(
                                CommitArm.class,
                                Map.of(
                                        CommitArm.FRAGMENTS, Integer.toString(fragments),
                                        CommitArm.TOUCHED, Integer.toString(touched),
                                        CommitArm.COMMITS, Integer.toString(commits),
                                        CommitArm.UNITS, Integer.toString(units),
                                        CommitArm.SEED, Long.toString(context.seed() + i))));
            }
            String name =
                    fragments
                            + ", keys of "
                            + (touched == 0 ? "all" : Math.min(touched, fragments))
                            + (units == 1 ? "" : ", in " + units + " units");
            rows.add(Row.of(name + ": commit p50", of("commit p50"), "ms", of("bare p50")));
            rows.add(Row.of(name + ": commit p99", of("commit p99"), "ms", of("bare p99")));
            rows.add(Row.of(name + ": bare puts p50", of("bare p50"), "ms"));
            rows.add(Row.of(name + ": puts", of("puts"), ""));
            rows.add(Row.of(name + ": bytes put", of("put bytes"), "B"));
            rows.add(Row.of(name + ": manifest", of("manifest bytes"), "B"));
            rows.add(Row.of(name + ": a question to the metastore", of("metastore p50"), "ms"));
        }

        Samples of(String quantity) {
            return Samples.of(runs, quantity);
        }
    }
}
