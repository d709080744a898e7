package io.loam.codec.record;

/** Indices and weights that make no sparse vector. */
public class SparseVectorException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** The rules, in the order they are checked. */
    public enum Reason {
        LENGTH_MISMATCH,
        NON_FINITE,
        DUPLICATE_INDEX
    }

    private final Reason reason;

    SparseVectorException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
