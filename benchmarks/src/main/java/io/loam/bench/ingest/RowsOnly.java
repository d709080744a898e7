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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T3: rows with keys alone, against tables that hold nothing else. */
public final class RowsOnly implements Figure {
    private static final String PAIMON = "Paimon (c), primary key, deletion vectors";
    private static final String ICEBERG = "Iceberg (b), upsert mode, equality deletes";
    private static final String LOAM = "Loam, rows only";

    @Override
    public String id() {
        return "T3";
    }

    @Override
    public String what() {
        return "rows/s without text and vectors, half of them updates, checkpoint 2 s";
    }

    @Override
    public String target() {
        return "at least 1.5 x Paimon";
    }

    @Override
    public FigureResult measure(BenchContext context) throws Exception {
        Path input =
                InputFile.generate(
                        context.inputs(),
                        InputSpec.of(context.seed(), 0)
                                .withChanges(context.size(20_000, 500_000), 0.5));
        Map<String, String> failures = new LinkedHashMap<>();
        Map<String, Map<String, Samples>> measured =
                context.inTurn(
                        List.of(
                                contestant(PAIMON, SystemUnderTest.PAIMON, input),
                                contestant(LOAM, SystemUnderTest.LOAM, input),
                                contestant(ICEBERG, SystemUnderTest.ICEBERG, input).onlyOnce()),
                        failures);
        if (!measured.containsKey(LOAM) || !measured.containsKey(PAIMON)) {
            throw new IOException(failures.toString());
        }
        Samples paimon = measured.get(PAIMON).get("perSecond");
        Samples loam = measured.get(LOAM).get("perSecond");
        List<Row> rows = new ArrayList<>();
        measured.forEach(
                (name, values) ->
                        rows.add(Row.of(name, values.get("perSecond"), "rows/s", paimon)));
        return new FigureResult(
                        rows, List.of(Goal.atLeast("of Paimon", loam.over(paimon), 1.5, "x")), "")
                .without(failures);
    }

    private static Contestant contestant(String name, String system, Path input) {
        return new Contestant(
                name,
                FreeRun.class,
                Map.of(
                        SystemUnderTest.ARGUMENT, system,
                        Arguments.INPUT, input.toString(),
                        Arguments.PARALLELISM, "2",
                        Arguments.CHECKPOINT_MS, "2000",
                        Arguments.TEXT, "false",
                        Arguments.VECTORS, "0",
                        Arguments.DIMENSION, "0"));
    }
}
