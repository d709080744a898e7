package io.loam.store.metastore;

import java.io.IOException;

/** A refusal by the metastore, or an unknown outcome; {@link #code} tells which. */
public class MetastoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The metastore's errors, named as in the format's specification. */
    public enum Code {
        INVALID_ARGUMENT(false),
        NAMESPACE_EXISTS(false),
        NAMESPACE_NOT_FOUND(false),
        COLLECTION_EXISTS(false),
        COLLECTION_NOT_FOUND(false),
        NAME_TAKEN(false),
        INCOMPATIBLE_SCHEMA(false),
        SCHEMA_VERSION_MISMATCH(false),
        LEASE_HELD(false),
        LEASE_LOST(false),
        VERSION_MISMATCH(false),
        FENCED(false),
        STALE_OBJECT(false),
        /** Nobody can tell whether the command took effect. */
        TIMEOUT(true),
        /** The database could not be reached, or broke off. */
        UNAVAILABLE(true);

        private final boolean unknownOutcome;

        Code(boolean unknownOutcome) {
            this.unknownOutcome = unknownOutcome;
        }

        /** Whether the command may have taken effect all the same. */
        public boolean unknownOutcome() {
            return unknownOutcome;
        }
    }

    private final Code code;

    public MetastoreException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public MetastoreException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
