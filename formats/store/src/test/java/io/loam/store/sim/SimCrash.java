package io.loam.store.sim;

/** Unwinds an actor whose process died; not an exception, so that nobody catches it. */
final class SimCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimCrash(String actor) {
        super(actor + " is dead", null, false, false);
    }
}
