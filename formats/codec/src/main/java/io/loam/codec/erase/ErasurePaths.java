package io.loam.codec.erase;

import io.loam.codec.Ulid;

/**
 * Where the records of an erasure are, beside everything that erasures, drops and garbage
 * collection delete from.
 */
public record ErasurePaths(long namespaceId, Ulid id) {
    /** Prefix of all records. */
    public static final String ROOT = "_erasure/";

    /** Prefix of the records of a namespace. */
    public static String ofNamespace(long namespaceId) {
        return ROOT + Long.toUnsignedString(namespaceId) + "/";
    }

    public String request() {
        return folder() + "request.rec";
    }

    /** History is released; nothing that is read from now on names what is to go. */
    public String released() {
        return folder() + "released.rec";
    }

    public String completion() {
        return folder() + "completion.rec";
    }

    private String folder() {
        return ofNamespace(namespaceId) + id + "/";
    }
}
