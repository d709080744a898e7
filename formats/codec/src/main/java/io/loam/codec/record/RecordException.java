package io.loam.codec.record;

/** A record that cannot be decoded, or an operation that cannot be encoded. */
public class RecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The error classes of the record codec. */
    public enum Reason {
        MISSING_KEY,
        MISSING_VALUE,
        TOO_LARGE,
        UNKNOWN_VERSION,
        INVALID_KEY,
        MALFORMED,
        KEY_MISMATCH
    }

    private final Reason reason;

    public RecordException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
