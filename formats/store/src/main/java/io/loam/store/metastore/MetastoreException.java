package io.loam.store.metastore;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Optional;

/** A refusal by the metastore, or an unknown outcome; {@link #code} tells which. */
public class MetastoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The metastore's errors, named as in the format's specification. */
    public enum Code {
        INVALID_ARGUMENT(false),
        NAMESPACE_EXISTS(false),
        NAMESPACE_NOT_FOUND(false),
        /** It has collections, and they were not to be dropped with it. */
        NAMESPACE_NOT_EMPTY(false),
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
        TAG_EXISTS(false),
        TAG_NOT_FOUND(false),
        TOO_MANY_TAGS(false),
        /** The version is not retained any more, or does not exist yet. */
        SNAPSHOT_EXPIRED(false),
        /** A tag forbids dropping the collection. */
        COLLECTION_PROTECTED(false),
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
    @Nullable private final transient Pointer current;

    public MetastoreException(Code code, String message) {
        this(code, message, (Throwable) null);
    }

    /** VERSION_MISMATCH with the pointer that was there instead, null if none was. */
    public MetastoreException(String message, @Nullable Pointer current) {
        super(message);
        this.code = Code.VERSION_MISMATCH;
        this.current = current;
    }

    public MetastoreException(Code code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.current = null;
    }

    public Code code() {
        return code;
    }

    /** On VERSION_MISMATCH, the pointer that was there; empty if there was none. */
    public Optional<Pointer> current() {
        return Optional.ofNullable(current);
    }
}
