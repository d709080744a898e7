package io.loam.store.commit;

import java.io.IOException;

/** The apply lease belongs to another writer that is alive. */
public class LeaseHeldException extends IOException {
    private static final long serialVersionUID = 1L;

    public LeaseHeldException(String message) {
        super(message);
    }
}
