package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

import java.util.ArrayList;
import java.util.List;

/** T10: how long a job without state needs to its first commit. */
public final class ColdStart implements Figure {
    @Override
    public String id() {
        return "T10";
    }

    @Override
    public String what() {
        return "start without state on 3 million keys, until the first commit is live";
    }

    @Override
    public String target() {
        return "at most 30 s";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        List<Row> rows = new ArrayList<>();
        List<Goal> goals = new ArrayList<>();
        for (int parallelism : new int[] {1, 2}) {
            List<Double> seconds = new ArrayList<>();
            List<Double> rebuilt = new ArrayList<>();
            for (int run = 0; run < Starts.runs(context); run++) {
                seconds.add(Starts.measured(context, parallelism, run).get("first commit s"));
                rebuilt.add(Starts.measured(context, parallelism, run).get("rebuild ms") / 1e3);
            }
            String subtasks = parallelism + (parallelism == 1 ? " subtask" : " subtasks");
            rows.add(Row.of(subtasks + ": to the first commit", new Samples(seconds), "s"));
            rows.add(Row.of(subtasks + ": rebuild of it", new Samples(rebuilt), "s"));
            goals.add(Goal.atMost(subtasks, new Samples(seconds), 30, "s"));
        }
        return new FigureResult(rows, goals, "from the submission of the job, cluster included");
    }
}
