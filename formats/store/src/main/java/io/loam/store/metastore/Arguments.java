package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import java.nio.charset.StandardCharsets;

/** Checks of arguments that need no look at the database. */
final class Arguments {
    static final int MAX_KEY_BYTES = 1024;
    static final int MAX_VALUE_BYTES = 4096;
    static final long MAX_TTL_MS = 3_600_000;
    private static final int MAX_NAMESPACE_BYTES = 222;
    private static final int MAX_TOPIC_BYTES = 249;

    private Arguments() {}

    static void key(String what, String key) throws MetastoreException {
        length(what, key, MAX_KEY_BYTES);
    }

    static void length(String what, String text, int maxBytes) throws MetastoreException {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > maxBytes) {
            throw invalid(what + " must have 1.." + maxBytes + " bytes, not " + bytes);
        }
        if (!storable(text)) {
            throw invalid(what + " must not hold a NUL character or half a surrogate pair");
        }
    }

    /** Whether both databases can hold the text; one that they cannot is not in them either. */
    static boolean storable(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    static void namespace(String name) throws MetastoreException {
        length("a namespace's name", name, MAX_NAMESPACE_BYTES);
        if (name.startsWith("_") || name.indexOf('/') >= 0) {
            throw invalid(
                    "a namespace's name must not start with _ or hold a slash: \"" + name + "\"");
        }
    }

    /** Kafka's own rule for topics. */
    static void topic(String topic) throws MetastoreException {
        length("a topic", topic, MAX_TOPIC_BYTES);
        if (!topic.matches("[A-Za-z0-9._-]+") || topic.equals(".") || topic.equals("..")) {
            throw invalid(
                    "a topic consists of letters, digits, dot, underscore and dash, not \""
                            + topic
                            + "\"");
        }
    }

    static void ttl(long ttlMs) throws MetastoreException {
        if (ttlMs < 1 || ttlMs > MAX_TTL_MS) {
            throw invalid("a lease's TTL must be 1.." + MAX_TTL_MS + " ms, not " + ttlMs);
        }
    }

    static MetastoreException invalid(String message) {
        return new MetastoreException(Code.INVALID_ARGUMENT, message);
    }
}
