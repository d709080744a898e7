package io.loam.jobs.cli;

import io.loam.codec.json.JsonValue;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyJson;
import io.loam.codec.key.KeyNotation;
import io.loam.codec.key.PrimaryKey;

/** Keys as arguments, in the notation of {@link KeyNotation}. */
final class KeyText {
    private KeyText() {}

    static PrimaryKey parse(String text) {
        try {
            return KeyNotation.parse(text);
        } catch (InvalidKeyException e) {
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
