package io.loam.flink.operators;

/**
 * Computes row ids, so that none has to be fetched:
 *
 * <pre>
 * row id = base + arena * 2^32 + lane * (2^32 / lanes) + n
 * </pre>
 *
 * Dead letters of direct mode get ids from the end of the lane downwards, so that those of rows
 * stay dense. An arena belongs to one checkpoint, a lane to one subtask; {@code n} counts from 0 in
 * each arena. Ids of a later checkpoint are therefore above those of an earlier one. Batch
 * execution makes one commit, without checkpoints: there a full lane goes on in the next arena.
 */
final class RowIdAllocator {
    private static final int ARENA_BITS = 32;

    private final long base;
    private final int lane;
    private final long laneSize;
    private final boolean overflows;
    private long arena;
    private long used;
    private long letters;

    RowIdAllocator(long base, int lane, int parallelism, long arena) {
        this(base, lane, parallelism, arena, false);
    }

    /**
     * @param overflows whether a full lane goes on in the next arena instead of failing
     */
    RowIdAllocator(long base, int lane, int parallelism, long arena, boolean overflows) {
        if (lane < 0 || lane >= parallelism) {
            throw new IllegalArgumentException(
                    "lane " + lane + " of " + parallelism + " does not exist");
        }
        this.base = base;
        this.lane = lane;
        this.laneSize = (1L << ARENA_BITS) / lanes(parallelism);
        this.arena = arena;
        this.overflows = overflows;
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
            letters = 0;
        }
    }

    /** Makes room for the ids of a batch, which are to follow each other. */
    void reserve(long ids) {
        if (overflows && used + letters + ids > laneSize) {
            enter(arena + 1);
        }
    }

    /**
     * The next id.
     *
     * @throws IllegalStateException if the lane is full
     */
    long next() {
        requireRoom();
        return laneStart() + used++;
    }

    /**
     * An id for a dead letter that has no offset of its own.
     *
     * @throws IllegalStateException if the lane is full
     */
    long nextLetter() {
        requireRoom();
        return laneStart() + laneSize - ++letters;
    }

    private long laneStart() {
        return base + (arena << ARENA_BITS) + lane * laneSize;
    }

    private void requireRoom() {
        if (used + letters == laneSize) {
            throw new IllegalStateException(
                    "subtask "
                            + lane
                            + " has used all "
                            + laneSize
                            + " row ids it has between two checkpoints; checkpoint more often, or"
                            + " run with a lower parallelism");
        }
    }
}
