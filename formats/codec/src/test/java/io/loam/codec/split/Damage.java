package io.loam.codec.split;

import io.loam.codec.CorruptException;
import io.loam.codec.testing.Campaign;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/** Runs a parser over damaged bytes; it may accept them, or throw {@link CorruptException}. */
final class Damage {
    private static final int RANDOM_INPUTS = 2000;

    private Damage() {}

    /** A random that prints its seed; {@code -Dloam.seed=<n>} replays a run. */
    static Random seeded() {
        long seed = Campaign.seed();
        System.out.println("loam.seed=" + seed);
        return new Random(seed);
    }

    static void each(Random random, byte[] valid, Consumer<byte[]> parser) {
        for (int length = 0; length < valid.length; length++) {
            run(Arrays.copyOf(valid, length), parser);
        }
        for (int bit = 0; bit < valid.length * 8; bit++) {
            byte[] flipped = valid.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            run(flipped, parser);
        }
        for (int i = 0; i < RANDOM_INPUTS; i++) {
            byte[] mixed = valid.clone();
            int from = random.nextInt(valid.length);
            for (int at = from; at < Math.min(valid.length, from + 8); at++) {
                mixed[at] = (byte) random.nextInt();
            }
            run(mixed, parser);
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            run(noise, parser);
        }
    }

    private static void run(byte[] bytes, Consumer<byte[]> parser) {
        try {
            parser.accept(bytes);
        } catch (CorruptException expected) {
            // One of the two allowed outcomes; any other exception fails the test.
        }
    }
}
