package io.loam.store.commit;

/** Where a collection's operations come from; fixed by its first commit. */
public enum CommitMode {
    /** From its implicit stream; {@code applied} moves. */
    STREAM,
    /** From a changelog; {@code applied} stays empty. */
    DIRECT
}
