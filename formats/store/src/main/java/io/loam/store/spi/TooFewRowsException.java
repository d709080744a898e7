package io.loam.store.spi;

import java.io.IOException;

/** There are too few rows with a vector to index them. */
public final class TooFewRowsException extends IOException {
    private static final long serialVersionUID = 1L;

    public TooFewRowsException(String message) {
        super(message);
    }
}
