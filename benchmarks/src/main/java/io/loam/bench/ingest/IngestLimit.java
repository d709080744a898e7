package io.loam.bench.ingest;

import io.loam.bench.BenchContext;
import io.loam.bench.BenchContext.Contestant;
import io.loam.bench.Figure;
import io.loam.bench.FigureResult;
import io.loam.bench.FigureResult.Row;
import io.loam.bench.Goal;
import io.loam.bench.Samples;
import io.loam.bench.input.InputFile;
import io.loam.bench.input.InputSpec;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** T1: how close the whole way comes to nothing but writing. */
public final class IngestLimit implements Figure {
    private static final int DIMENSION = 128;

    @Override
    public String id() {
        return "T1";
    }

    @Override
    public String what() {
        return "documents/s end to end against bare Lance files and Tantivy splits";
    }

    @Override
    public String target() {
        return "at least 0.80 of the limit: upserts with rows, text and one 128-d vector,"
                + " checkpoint 2 s";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        Path input =
                InputFile.generate(
                        context.inputs(),
                        InputSpec.of(context.seed(), context.size(20_000, 300_000))
                                .withVectors(1, DIMENSION));
        Map<String, Map<String, Samples>> measured =
                context.inTurn(
                        List.of(
                                new Contestant("limit", BareLimit.class, args(input, 2)),
                                new Contestant("loam", FreeRun.class, args(input, 2))));
        Samples limit = measured.get("limit").get("perSecond");
        Samples loam = measured.get("loam").get("perSecond");
        return new FigureResult(
                List.of(
                        Row.of("limit (e), 2 threads", limit, "documents/s"),
                        Row.of("Loam, parallelism 2", loam, "documents/s", limit),
                        Row.of(
                                "Loam, start and end of the job included",
                                measured.get("loam").get("wholePerSecond"),
                                "documents/s",
                                limit)),
                List.of(Goal.atLeast("of the limit", loam.over(limit), 0.80, "x")),
                "");
    }

    private static Map<String, String> args(Path input, int parallelism) {
        return Map.of(
                SystemUnderTest.ARGUMENT,
                SystemUnderTest.LOAM,
                Arguments.INPUT,
                input.toString(),
                Arguments.PARALLELISM,
                Integer.toString(parallelism),
                Arguments.CHECKPOINT_MS,
                "2000",
                Arguments.TEXT,
                "true",
                Arguments.VECTORS,
                "1",
                Arguments.DIMENSION,
                Integer.toString(DIMENSION));
    }
}
