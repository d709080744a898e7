package io.loam.store.metastore;

import io.loam.store.metastore.MetastoreException.Code;

import java.nio.charset.StandardCharsets;

/** Checks of arguments that need no look at the database. */
final class Arguments {
    static final int MAX_KEY_BYTES = 1024;
    static final int MAX_VALUE_BYTES = 4096;
    static final long MAX_TTL_MS = 3_600_000;
    static final int MAX_TAGS = 64;
    private static final int MAX_TAG_CHARS = 128;
    private static final int MAX_DESCRIPTION_BYTES = 1024;
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

    static void requireStorable(String name) throws MetastoreException {
        if (!storable(name)) {
            throw invalid("names must not hold a NUL character or half a surrogate pair");
        }
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

    /** A tag's name also stands in commands and options of SQL, so it is kept simple. */
    static void tagName(String name) throws MetastoreException {
        if (name.length() > MAX_TAG_CHARS || !name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw invalid(
                    "a tag's name consists of 1 to "
                            + MAX_TAG_CHARS
                            + " letters, digits, dots, underscores and dashes and begins with a"
                            + " letter or digit; not \""
                            + name
                            + "\"");
        }
    }

    static void tag(TagRequest request) throws MetastoreException {
        tagName(request.name());
        if (request.version() < 1) {
            throw invalid("a tag needs a version of at least 1, not " + request.version());
        }
        length("a manifest's path", request.path(), MAX_VALUE_BYTES);
        if (!request.description().isEmpty()) {
            length("a tag's description", request.description(), MAX_DESCRIPTION_BYTES);
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
