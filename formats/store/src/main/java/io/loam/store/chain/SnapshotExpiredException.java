package io.loam.store.chain;

import java.io.IOException;

/** A version that is not retained, or does not exist yet. */
public class SnapshotExpiredException extends IOException {
    private static final long serialVersionUID = 1L;

    public SnapshotExpiredException(String message) {
        super(message);
    }
}
