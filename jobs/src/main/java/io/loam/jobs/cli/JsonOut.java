package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds the JSON that {@code --json} prints: one object per line. */
final class JsonOut {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    JsonOut put(String name, @Nullable Object value) {
        members.put(name, of(value));
        return this;
    }

    /** An unsigned 64-bit number. */
    JsonOut putUnsigned(String name, long value) {
        members.put(name, new JsonInteger(value, value < 0));
        return this;
    }

    JsonObject build() {
        return new JsonObject(members);
    }

    @Override
    public String toString() {
        return Json.text(build());
    }

    static JsonValue of(@Nullable Object value) {
        if (value == null) {
            return JsonValue.NULL;
        }
        if (value instanceof JsonValue) {
            return (JsonValue) value;
        }
        if (value instanceof JsonOut) {
            return ((JsonOut) value).build();
        }
        if (value instanceof Boolean) {
            return new JsonBoolean((Boolean) value);
        }
        if (value instanceof Long || value instanceof Integer) {
            return JsonInteger.of(((Number) value).longValue());
        }
        if (value instanceof Float) {
            return new JsonDouble(Double.parseDouble(value.toString()));
        }
        if (value instanceof Number) {
            return new JsonDouble(((Number) value).doubleValue());
        }
        if (value instanceof List) {
            List<JsonValue> values = new ArrayList<>();
            for (Object element : (List<?>) value) {
                values.add(of(element));
            }
            return new JsonArray(values);
        }
        if (value instanceof Map) {
            JsonOut object = new JsonOut();
            ((Map<?, ?>) value).forEach((k, v) -> object.put(k.toString(), v));
            return object.build();
        }
        return new JsonString(value.toString());
    }
}
