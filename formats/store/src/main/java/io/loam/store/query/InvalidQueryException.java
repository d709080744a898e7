package io.loam.store.query;

/** A query that cannot be parsed, or that asks a field for what it cannot do. */
public final class InvalidQueryException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidQueryException(String message) {
        super(message);
    }
}
