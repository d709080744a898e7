package io.loam.flink.operators;

/**
 * Computes row ids, so that none has to be fetched:
 *
 * <pre>
 * row id = base + arena * 2^32 + lane * (2^32 / lanes) + n
 * </pre>
 *
 * An arena belongs to one checkpoint, a lane to one subtask; {@code n} counts from 0 in each arena.
 * Ids of a later checkpoint are therefore above those of an earlier one.
 */
final class RowIdAllocator {
    private static final int ARENA_BITS = 32;

    private final long base;
    private final int lane;
    private final long laneSize;
    private long arena;
    private long used;

    RowIdAllocator(long base, int lane, int parallelism, long arena) {
        if (lane < 0 || lane >= parallelism) {
            throw new IllegalArgumentException(
                    "lane " + lane + " of " + parallelism + " does not exist");
        }
        this.base = base;
        this.lane = lane;
        this.laneSize = (1L << ARENA_BITS) / lanes(parallelism);
        this.arena = arena;
    }

    /** The smallest power of two that gives every subtask a lane. */
    private static long lanes(int parallelism) {
        long highest = Long.highestOneBit(parallelism);
        return highest == parallelism ? highest : highest << 1;
    }

    long base() {
        return base;
    }

    /** Moves to the arena of the records after a barrier; arenas only ascend. */
    void enter(long nextArena) {
        if (nextArena > arena) {
            arena = nextArena;
            used = 0;
        }
    }

    /**
     * The next id.
     *
     * @throws IllegalStateException if the lane is full
     */
    long next() {
        if (used == laneSize) {
            throw new IllegalStateException(
                    "subtask "
                            + lane
                            + " has used all "
                            + laneSize
                            + " row ids it has between two checkpoints; checkpoint more often, or"
                            + " run with a lower parallelism");
        }
        return base + (arena << ARENA_BITS) + lane * laneSize + used++;
    }
}
