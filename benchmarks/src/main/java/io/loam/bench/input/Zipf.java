package io.loam.bench.input;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Ranks whose frequencies fall as their inverses: rank 0 comes most often. */
final class Zipf {
    private final double[] cumulated;

    Zipf(int ranks) {
        cumulated = new double[ranks];
        double sum = 0;
        for (int i = 0; i < ranks; i++) {
            sum += 1.0 / (i + 1);
            cumulated[i] = sum;
        }
    }

    /** A rank below {@code limit}, which is at most the number of ranks. */
    int next(SplittableRandom random, int limit) {
        double at = random.nextDouble() * cumulated[limit - 1];
        int found = Arrays.binarySearch(cumulated, 0, limit, at);
        return Math.min(limit - 1, found < 0 ? -found - 1 : found);
    }
}
