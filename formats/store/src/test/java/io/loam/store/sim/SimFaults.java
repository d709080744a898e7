package io.loam.store.sim;

import io.loam.store.testing.FaultPlan.Fault;

import java.util.Random;

/** Gives the turn away before each call and decides whether it fails. */
final class SimFaults {
    private final Scheduler scheduler;
    private final Random random;
    private int perMille;

    SimFaults(Scheduler scheduler, Random random) {
        this.scheduler = scheduler;
        this.random = random;
        this.perMille = random.nextInt(3) == 0 ? 0 : random.nextInt(12);
    }

    void heal() {
        perMille = 0;
    }

    Fault before(String call) {
        scheduler.step(call);
        if (random.nextInt(1000) >= perMille) {
            return Fault.NONE;
        }
        Fault fault = random.nextBoolean() ? Fault.BEFORE : Fault.AFTER;
        scheduler.note("  fails " + fault);
        return fault;
    }
}
