package io.loam.codec.json;

import io.loam.codec.json.JsonValue.JsonObject;

/** Parses and prints JSON by the rules of document sources. */
public final class Json {
    private Json() {}

    /** Parses UTF-8 text whose top level must be an object. */
    public static JsonObject parseObject(byte[] utf8) {
        throw new UnsupportedOperationException("record slice");
    }

    /** Parses UTF-8 text of any JSON value. */
    public static JsonValue parse(byte[] utf8) {
        throw new UnsupportedOperationException("record slice");
    }

    /** Prints compactly as UTF-8. */
    public static byte[] print(JsonValue value) {
        throw new UnsupportedOperationException("record slice");
    }

    /** {@link #print} as a string. */
    public static String text(JsonValue value) {
        return new String(print(value), java.nio.charset.StandardCharsets.UTF_8);
    }
}
