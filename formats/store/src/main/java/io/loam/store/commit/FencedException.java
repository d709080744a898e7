package io.loam.store.commit;

import java.io.IOException;

/** Another committer took the collection's apply lease; this one must stop. */
public class FencedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean byAnotherOwner;

    public FencedException(String message, boolean byAnotherOwner, Throwable cause) {
        super(message, cause);
        this.byAnotherOwner = byAnotherOwner;
    }

    /**
     * Whether the lease is another owner's now. If not, it was an attempt of the same job that took
     * it, such as one that was believed dead and woke up; a new attempt of this one may take it
     * back.
     */
    public boolean byAnotherOwner() {
        return byAnotherOwner;
    }
}
