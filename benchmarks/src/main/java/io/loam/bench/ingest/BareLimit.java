package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.input.Entry;
import io.loam.bench.input.InputFile;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The physical limit: the same rows through Lance's own writer of data files and Tantivy's own
 * building of splits, once, without keys, commits or anything else. As many threads as the sink has
 * subtasks; each writes units of as many rows as the sink's largest.
 */
final class BareLimit implements Arm {
    private static final int UNIT_ROWS = 100_000;
    private static final int WARM_UP_ROWS = 20_000;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        InputFile input = InputFile.open(arguments.input());
        int threads = arguments.number(Arguments.PARALLELISM);
        pass(input, arguments, "warm-up", Math.min(WARM_UP_ROWS, input.records()), threads);
        long started = System.nanoTime();
        pass(input, arguments, "limit", input.records(), threads);
        double seconds = (System.nanoTime() - started) / 1e9;
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("seconds", seconds);
        values.put("perSecond", input.records() / seconds);
        return values;
    }

    private static void pass(
            InputFile input, Arguments arguments, String name, int rows, int threads)
            throws Exception {
        Path directory = Files.createDirectories(arguments.directory().resolve(name));
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> shares = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int from = (int) ((long) rows * i / threads);
                int to = (int) ((long) rows * (i + 1) / threads);
                Callable<Void> share =
                        () -> {
                            for (int at = from; at < to; at += UNIT_ROWS) {
                                unit(input, arguments, directory, at, Math.min(to, at + UNIT_ROWS));
                            }
                            return null;
                        };
                shares.add(executor.submit(share));
            }
            for (Future<?> share : shares) {
                share.get();
            }
        } finally {
            executor.shutdown();
        }
    }

    private static void unit(InputFile input, Arguments arguments, Path directory, int from, int to)
            throws Exception {
        boolean text = arguments.is(Arguments.TEXT);
        try (BareLanceFile rows =
                        new BareLanceFile(
                                directory.resolve(from + ".lance"),
                                arguments.number(Arguments.VECTORS),
                                arguments.number(Arguments.DIMENSION));
                BareSplit split = text ? new BareSplit(directory.resolve(from + ".index")) : null) {
            for (int i = from; i < to; i++) {
                Entry entry = input.entry(i);
                rows.add(entry);
                if (split != null) {
                    split.add(i, entry);
                }
            }
            if (split != null) {
                split.finish(directory.resolve(from + ".split"));
            }
        }
    }
}
