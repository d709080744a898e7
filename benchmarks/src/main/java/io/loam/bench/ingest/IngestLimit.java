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
import io.loam.bench.input.WordNetInput;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** T1: how close the whole way comes to nothing but writing. */
public final class IngestLimit implements Figure {
    private static final int DIMENSION = 128;
    private static final int REAL_RUNS = 3;
    private static final String LIMIT = "limit (e), 2 threads";
    private static final String LOAM = "Loam, parallelism 2";
    private static final String WORDNET = ", WordNet";
    private static final String WHOLE = ", start and end of the job included";
    private static final String RATE = "perSecond";
    private static final String WHOLE_RATE = "wholePerSecond";
    private static final String UNIT = "documents/s";

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
        Path generated =
                InputFile.generate(
                        context.inputs(),
                        InputSpec.of(context.seed(), context.size(20_000, 300_000))
                                .withVectors(1, DIMENSION));
        List<Contestant> contestants = new ArrayList<>();
        contestants.add(new Contestant(LIMIT, BareLimit.class, args(generated, DIMENSION)));
        contestants.add(new Contestant(LOAM, FreeRun.class, args(generated, DIMENSION)));
        Map<String, String> failures = new LinkedHashMap<>();
        try {
            Map<String, String> real =
                    args(WordNetInput.times(context, context.size(20, 12)), WordNetInput.DIMENSION);
            contestants.add(
                    new Contestant(LIMIT + WORDNET, BareLimit.class, real).inRounds(REAL_RUNS));
            contestants.add(
                    new Contestant(LOAM + WORDNET, FreeRun.class, real).inRounds(REAL_RUNS));
        } catch (IOException e) {
            failures.put("WordNet", e.getMessage());
        }
        Map<String, Map<String, Samples>> measured = context.inTurn(contestants, failures);
        if (!measured.containsKey(LIMIT) || !measured.containsKey(LOAM)) {
            throw new IOException(failures.toString());
        }
        Samples limit = measured.get(LIMIT).get(RATE);
        Samples loam = measured.get(LOAM).get(RATE);
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of(LIMIT, limit, UNIT));
        rows.add(Row.of(LOAM, loam, UNIT, limit));
        rows.add(Row.of(LOAM + WHOLE, measured.get(LOAM).get(WHOLE_RATE), UNIT, limit));
        if (measured.containsKey(LIMIT + WORDNET) && measured.containsKey(LOAM + WORDNET)) {
            Samples real = measured.get(LIMIT + WORDNET).get(RATE);
            Map<String, Samples> ofLoam = measured.get(LOAM + WORDNET);
            rows.add(Row.of(LIMIT + WORDNET, real, UNIT));
            rows.add(Row.of(LOAM + WORDNET, ofLoam.get(RATE), UNIT, real));
            rows.add(Row.of(LOAM + WORDNET + WHOLE, ofLoam.get(WHOLE_RATE), UNIT, real));
        }
        return new FigureResult(
                        rows,
                        List.of(Goal.atLeast("of the limit", loam.over(limit), 0.80, "x")),
                        "")
                .without(failures);
    }

    private static Map<String, String> args(Path input, int dimension) {
        return Map.of(
                SystemUnderTest.ARGUMENT,
                SystemUnderTest.LOAM,
                Arguments.INPUT,
                input.toString(),
                Arguments.PARALLELISM,
                "2",
                Arguments.CHECKPOINT_MS,
                "2000",
                Arguments.TEXT,
                "true",
                Arguments.VECTORS,
                "1",
                Arguments.DIMENSION,
                Integer.toString(dimension));
    }
}
