package io.loam.bench.ingest;

import io.loam.bench.Arm;
import io.loam.bench.Samples;
import io.loam.bench.ingest.SystemUnderTest.ReadRows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the whole of two tables in turn, in one JVM: one with updates, and the same rows appended
 * once. Each read opens the table anew.
 */
final class ReadAll implements Arm {
    /** Arguments: folders of the two tables. */
    static final String UPDATED = "updated";

    static final String ONCE = "once";
    private static final int WARM_UP = 2;
    private static final int ROUNDS = 3;

    @Override
    public Map<String, Double> run(Map<String, String> args) throws Exception {
        Arguments arguments = new Arguments(args);
        List<Double> updated = new ArrayList<>();
        List<Double> once = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        ReadRows[] read = new ReadRows[2];
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            double first = timed(args.get(ONCE), arguments, read, 0);
            double second = timed(args.get(UPDATED), arguments, read, 1);
            if (!read[0].equals(read[1])) {
                throw new IllegalStateException(
                        "the tables differ: once " + read[0] + ", updated " + read[1]);
            }
            if (round >= WARM_UP) {
                once.add(first);
                updated.add(second);
                ratios.add(second / first);
            }
        }
        return Map.of(
                "onceMs", new Samples(once).median(),
                "updatedMs", new Samples(updated).median(),
                "ratio", new Samples(ratios).median(),
                "rows", (double) read[0].rows());
    }

    private static double timed(String folder, Arguments arguments, ReadRows[] read, int which)
            throws Exception {
        long started = System.nanoTime();
        try (SystemUnderTest<?> system = SystemUnderTest.open(Path.of(folder), arguments)) {
            read[which] = system.read();
        }
        return (System.nanoTime() - started) / 1e6;
    }
}
