package io.loam.jobs.cluster;

import java.io.IOException;

/** A cluster cannot do what it is told; the message says why and what to do. */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1L;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
