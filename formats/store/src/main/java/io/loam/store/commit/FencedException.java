package io.loam.store.commit;

import java.io.IOException;

/** Another committer took the collection's apply lease; this one must stop. */
public class FencedException extends IOException {
    private static final long serialVersionUID = 1L;

    public FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
