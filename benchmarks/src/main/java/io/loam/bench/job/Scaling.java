package io.loam.bench.job;

import io.loam.bench.BenchContext;
import io.loam.bench.BenchContext.Contestant;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;

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
        Map<String, Map<String, Samples>> measured =
                context.inTurn(
                        List.of(
                                contestant(context, "1", 1, List.of("-Xmx2g")),
                                contestant(context, "2", 2, List.of("-Xmx2g")),
                                contestant(
                                        context,
                                        "1 on one core",
                                        1,
                                        List.of("-Xmx2g", "-XX:ActiveProcessorCount=1"))));
        Samples one = measured.get("1").get("documents/s");
        Samples two = measured.get("2").get("documents/s");
        return new FigureResult(
                List.of(
                        Row.of("1 subtask", one, "documents/s"),
                        Row.of("2 subtasks", two, "documents/s", one)),
                List.of(Goal.atLeast("2 subtasks to 1", two.over(one), 1.7, "x")),
                "");
    }

    private static Contestant contestant(
            BenchContext context, String name, int parallelism, List<String> jvmOptions) {
        return new Contestant(
                name,
                InsertArm.class,
                Map.of(
                        InsertArm.PARALLELISM, Integer.toString(parallelism),
                        InsertArm.WARM_UP, Integer.toString(context.size(2_000, 40_000)),
                        InsertArm.DOCUMENTS, Integer.toString(context.size(4_000, 80_000)),
                        InsertArm.SEED, Long.toString(context.seed())),
                jvmOptions);
    }
}
