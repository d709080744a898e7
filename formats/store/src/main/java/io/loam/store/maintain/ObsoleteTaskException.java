package io.loam.store.maintain;

import java.io.IOException;

/** What a task was planned for is not there any more; the next plan knows. */
public final class ObsoleteTaskException extends IOException {
    private static final long serialVersionUID = 1L;

    public ObsoleteTaskException(String message) {
        super(message);
    }
}
