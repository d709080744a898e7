package io.loam.jobs.crash;

import io.loam.store.FailPoint;

import javax.annotation.Nullable;

import java.util.Random;

/**
 * What a run does, and the seed of everything it leaves open.
 *
 * @param point where the kill comes; null for random moments
 * @param victim killed first
 */
record CrashPlan(int number, @Nullable FailPoint point, Victim victim, long seed) {

    /** How the job comes to the point. */
    enum Start {
        /** It runs. */
        RUNNING,
        /** It is started again without state. */
        WITHOUT_STATE,
        /** It is started again from the newest checkpoint. */
        NEWEST_CHECKPOINT,
        /** It is started again from a savepoint that several commits followed. */
        OLD_SAVEPOINT
    }

    Start start() {
        if (point == null) {
            return Start.RUNNING;
        }
        return switch (point) {
            case SOURCE_START, REBUILD_KEY -> Start.WITHOUT_STATE;
            case REPAIR_DELTA -> Start.OLD_SAVEPOINT;
            case DECODE_OPENED, ROW_IDS, LEASE_TAKEN ->
                    (seed & 1) == 0 ? Start.WITHOUT_STATE : Start.NEWEST_CHECKPOINT;
            default -> Start.RUNNING;
        };
    }

    /** Which hit of the point is the one. */
    int hit(Random random) {
        return switch (point) {
            case SOURCE_START, LEASE_TAKEN -> 1; // comes once a start
            case DECODE_OPENED, ROW_IDS -> 1 + random.nextInt(2); // once a subtask
            case REPAIR_DELTA -> 1 + random.nextInt(4);
            case REBUILD_KEY -> 1 + random.nextInt(80);
            default -> 1 + random.nextInt(5);
        };
    }

    String label() {
        return point == null ? "random moment" : point.name();
    }

    @Override
    public String toString() {
        return "run " + number + ": " + label() + ", " + victim.label() + ", seed " + seed;
    }
}
