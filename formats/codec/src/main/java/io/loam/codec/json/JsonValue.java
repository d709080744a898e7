package io.loam.codec.json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A JSON value. Equality follows the fold: objects ignore key order, 1 and 1.0 differ, 0.0 equals
 * -0.0.
 */
public sealed interface JsonValue {

    JsonValue NULL = new JsonNull();

    record JsonNull() implements JsonValue {}

    record JsonBoolean(boolean value) implements JsonValue {}

    record JsonString(String value) implements JsonValue {}

    /** An exact integer in -2^63..2^64-1; {@code unsigned} marks values of 2^63 and above. */
    record JsonInteger(long value, boolean unsigned) implements JsonValue {
        public static JsonInteger of(long value) {
            return new JsonInteger(value, false);
        }
    }

    /** A finite double. */
    record JsonDouble(double value) implements JsonValue {
        @Override
        public boolean equals(Object other) {
            return other instanceof JsonDouble && ((JsonDouble) other).value == value;
        }

        @Override
        public int hashCode() {
            return Double.hashCode(value == 0 ? 0.0 : value);
        }
    }

    /** An array; the list is not to be changed after construction. */
    record JsonArray(List<JsonValue> values) implements JsonValue {
        public JsonArray {
            values = Collections.unmodifiableList(new ArrayList<>(values));
        }
    }

    /** An object that keeps the order of its keys; immutable. */
    record JsonObject(Map<String, JsonValue> members) implements JsonValue {
        public static final JsonObject EMPTY = new JsonObject(Map.of());

        public JsonObject {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }
    }
}
