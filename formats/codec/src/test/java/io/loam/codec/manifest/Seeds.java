package io.loam.codec.manifest;

import io.loam.codec.testing.Campaign;

import java.util.Random;

/** Seeds of random tests: printed, and replayed with {@code -Dloam.seed=<n>}. */
public final class Seeds {
    private Seeds() {}

    public static Random random(Class<?> test) {
        long seed = Campaign.seed();
        System.out.println(test.getSimpleName() + ": -Dloam.seed=" + seed);
        return new Random(seed);
    }
}
