package io.loam.store.sim;

/** Something that must never happen has happened. */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    Violation(String what) {
        super(what);
    }

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new Violation(what);
        }
    }
}
