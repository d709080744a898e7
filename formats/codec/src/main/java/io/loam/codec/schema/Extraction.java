package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes the values at a dotted path out of a source. Keys may hold dots themselves: at each object
 * the first k segments joined by dots are tried as one key, shorter k first, and every hit
 * contributes. Arrays are transparent; nulls are returned; the empty path gives the whole source.
 */
public final class Extraction {
    private final String[] segments;

    private Extraction(String[] segments) {
        this.segments = segments;
    }

    /** A path made ready for many sources. */
    public static Extraction of(String path) {
        return new Extraction(path.isEmpty() ? new String[0] : path.split("\\.", -1));
    }

    public static List<JsonValue> extract(JsonObject source, String path) {
        return of(path).extract(source);
    }

    public List<JsonValue> extract(JsonObject source) {
        List<JsonValue> values = new ArrayList<>();
        collect(source, 0, values);
        return values;
    }

    private void collect(JsonValue value, int depth, List<JsonValue> values) {
        if (value instanceof JsonArray) {
            for (JsonValue element : ((JsonArray) value).values()) {
                collect(element, depth, values);
            }
        } else if (depth == segments.length) {
            values.add(value);
        } else if (value instanceof JsonObject) {
            descend((JsonObject) value, depth, values);
        }
    }

    private void descend(JsonObject object, int depth, List<JsonValue> values) {
        String key = null;
        for (int end = depth; end < segments.length; end++) {
            key = key == null ? segments[end] : key + "." + segments[end];
            JsonValue member = object.members().get(key);
            if (member != null) {
                collect(member, end + 1, values);
            }
        }
    }
}
