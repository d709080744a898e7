package io.loam.codec.key;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Keys as people type them: an unsigned integer ({@code 42}), a JSON string ({@code "42"}), {@code
 * {"uuid":"..."}}, and any other text as a string key.
 */
public final class KeyNotation {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");

    private KeyNotation() {}

    /**
     * @throws InvalidKeyException if the text begins as JSON and is no key in it, or is too long
     */
    public static PrimaryKey parse(String text) {
        if (!isJson(text)) {
            return PrimaryKey.ofString(text);
        }
        try {
            return KeyJson.fromJson(Json.parse(text.getBytes(StandardCharsets.UTF_8)));
        } catch (JsonSyntaxException e) {
            throw new InvalidKeyException(e.getMessage(), e);
        }
    }

    private static boolean isJson(String text) {
        char first = text.isEmpty() ? ' ' : text.charAt(0);
        return first == '"' || first == '{' || NUMBER.matcher(text).matches();
    }

    /** The text of a key, from which {@link #parse} makes the same key. */
    public static String print(PrimaryKey key) {
        return key.kind() == PrimaryKey.Kind.STR && !isJson(key.string())
                ? key.string()
                : Json.text(KeyJson.toJson(key));
    }
}
