package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;

import java.util.Map;
import java.util.TreeMap;

/**
 * The leaf paths of a source, each with its first value: key paths whose value is not an object,
 * not null and not an empty array; arrays are transparent. In code-point order, which is byte
 * order.
 */
final class LeafPaths {
    private LeafPaths() {}

    static Map<String, JsonValue> of(JsonObject source) {
        Map<String, JsonValue> leaves = new TreeMap<>(LeafPaths::compareCodePoints);
        source.members().forEach((name, value) -> collect(name, value, leaves));
        return leaves;
    }

    private static void collect(String path, JsonValue value, Map<String, JsonValue> leaves) {
        if (value instanceof JsonObject) {
            ((JsonObject) value)
                    .members()
                    .forEach((name, member) -> collect(path + "." + name, member, leaves));
        } else if (value instanceof JsonArray) {
            ((JsonArray) value).values().forEach(element -> collect(path, element, leaves));
        } else if (!(value instanceof JsonNull)) {
            leaves.putIfAbsent(path, value);
        }
    }

    /** UTF-8 byte order: as UTF-16, but surrogates come after every other character. */
    static int compareCodePoints(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean mixed = Character.isSurrogate(x) != Character.isSurrogate(y);
                return mixed ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
