package io.loam.codec.key;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.Map;
import java.util.UUID;

/** Keys in JSON: an integer is U64, a string STR, {@code {"uuid": "<text>"}} UUID. */
public final class KeyJson {
    private static final String UUID_MEMBER = "uuid";

    private KeyJson() {}

    /**
     * @throws InvalidKeyException if the value is none of the three forms
     */
    public static PrimaryKey fromJson(JsonValue value) {
        if (value instanceof JsonInteger) {
            JsonInteger integer = (JsonInteger) value;
            if (integer.value() < 0 && !integer.unsigned()) {
                throw new InvalidKeyException(
                        "an integer key is 0..18446744073709551615, not " + integer.value());
            }
            return PrimaryKey.ofU64(integer.value());
        }
        if (value instanceof JsonString) {
            return PrimaryKey.ofString(((JsonString) value).value());
        }
        if (value instanceof JsonObject) {
            Map<String, JsonValue> members = ((JsonObject) value).members();
            if (members.size() == 1 && members.get(UUID_MEMBER) instanceof JsonString) {
                return PrimaryKey.ofUuid(uuid(((JsonString) members.get(UUID_MEMBER)).value()));
            }
        }
        throw new InvalidKeyException(
                "a key is an integer, a string or {\"uuid\":\"...\"}, not " + Json.text(value));
    }

    private static UUID uuid(String text) {
        return UuidText.parse(text)
                .orElseThrow(() -> new InvalidKeyException("not a UUID: \"" + text + "\""));
    }

    public static JsonValue toJson(PrimaryKey key) {
        switch (key.kind()) {
            case U64:
                return new JsonInteger(key.u64(), key.u64() < 0);
            case UUID:
                return new JsonObject(Map.of(UUID_MEMBER, new JsonString(key.uuid().toString())));
            default:
                return new JsonString(key.string());
        }
    }
}
