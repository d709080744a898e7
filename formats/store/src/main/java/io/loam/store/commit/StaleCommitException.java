package io.loam.store.commit;

import java.io.IOException;

/** A commit took so long that its objects may be collected; it was not published. */
public final class StaleCommitException extends IOException {
    private static final long serialVersionUID = 1L;

    StaleCommitException(String message, Throwable cause) {
        super(message, cause);
    }
}
