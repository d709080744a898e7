package io.loam.jobs.corrupt;

import javax.annotation.Nullable;

import java.util.Arrays;
import java.util.Random;

/** What happens to an object. */
enum Damage {
    FLIPPED_ANYWHERE,
    FLIPPED_NEAR_END,
    CUT_IN_HALF,
    ONE_BYTE_SHORT,
    EMPTY,
    ZEROS,
    LONGER,
    ANOTHER_OBJECT,
    MISSING;

    /** How many different cases the full form makes of it. */
    int variants() {
        return this == FLIPPED_ANYWHERE || this == FLIPPED_NEAR_END ? 6 : 1;
    }

    /**
     * What is there instead.
     *
     * @param other another object of the kind, null if there is none
     * @return null for no object
     */
    @Nullable
    byte[] of(byte[] good, @Nullable byte[] other, Random random) {
        return switch (this) {
            case FLIPPED_ANYWHERE -> flipped(good, random.nextInt(good.length), random);
            case FLIPPED_NEAR_END ->
                    flipped(
                            good,
                            good.length - 1 - random.nextInt(Math.min(64, good.length)),
                            random);
            case CUT_IN_HALF -> Arrays.copyOf(good, good.length / 2);
            case ONE_BYTE_SHORT -> Arrays.copyOf(good, good.length - 1);
            case EMPTY -> new byte[0];
            case ZEROS -> new byte[good.length];
            case LONGER -> Arrays.copyOf(good, good.length + 8);
            case ANOTHER_OBJECT -> other == null ? good : other;
            case MISSING -> null;
        };
    }

    private static byte[] flipped(byte[] good, int at, Random random) {
        byte[] flipped = good.clone();
        flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        return flipped;
    }

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
}
