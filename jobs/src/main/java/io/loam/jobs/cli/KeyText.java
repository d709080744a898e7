package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyJson;
import io.loam.codec.key.PrimaryKey;

import java.nio.charset.StandardCharsets;

/**
 * Keys as people type them: an unsigned integer ({@code 42}), a JSON string ({@code '"42"'}),
 * {@code '{"uuid":"..."}'}, and any other text as a string key.
 */
final class KeyText {
    private KeyText() {}

    static PrimaryKey parse(String text) {
        char first = text.isEmpty() ? ' ' : text.charAt(0);
        boolean json = first == '"' || first == '{' || text.matches("-?[0-9]+(\\.[0-9]+)?");
        try {
            return json
                    ? KeyJson.fromJson(Json.parse(text.getBytes(StandardCharsets.UTF_8)))
                    : PrimaryKey.ofString(text);
        } catch (JsonSyntaxException | InvalidKeyException e) {
            throw new CliException(
                    "not a key: "
                            + text
                            + " ("
                            + e.getMessage()
                            + "); write 42, name, '\"42\"' or '{\"uuid\":\"...\"}'",
                    e);
        }
    }

    static JsonValue json(PrimaryKey key) {
        return KeyJson.toJson(key);
    }
}
