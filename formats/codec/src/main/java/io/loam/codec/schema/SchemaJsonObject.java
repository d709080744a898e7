package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** An object of a schema file that remembers where it stands and which members were read. */
final class SchemaJsonObject {
    private final String path;
    private final Map<String, JsonValue> members;
    private final Set<String> read = new LinkedHashSet<>();

    private SchemaJsonObject(String path, Map<String, JsonValue> members) {
        this.path = path;
        this.members = members;
    }

    static SchemaJsonObject of(String path, JsonValue value) {
        if (!(value instanceof JsonObject)) {
            throw new SchemaException("json", path + " must be an object, not " + Json.text(value));
        }
        return new SchemaJsonObject(path, ((JsonObject) value).members());
    }

    /** Whether a member is there and not null; a null one counts as read. */
    boolean has(String name) {
        return member(name) != null;
    }

    @Nullable
    private JsonValue member(String name) {
        read.add(name);
        JsonValue value = members.get(name);
        return value instanceof JsonNull ? null : value;
    }

    private JsonValue required(String name) {
        JsonValue value = member(name);
        if (value == null) {
            throw new SchemaException("json", path + "." + name + " is missing");
        }
        return value;
    }

    /** {@code fallback} null means required. */
    String string(String name, @Nullable String fallback) {
        if (fallback != null && !has(name)) {
            return fallback;
        }
        JsonValue value = required(name);
        if (!(value instanceof JsonString)) {
            throw wrong(name, "a string", value);
        }
        return ((JsonString) value).value();
    }

    boolean bool(String name, boolean fallback) {
        JsonValue value = member(name);
        if (value == null) {
            return fallback;
        }
        if (!(value instanceof JsonBoolean)) {
            throw wrong(name, "true or false", value);
        }
        return ((JsonBoolean) value).value();
    }

    /** An unsigned integer; {@code fallback} null means required. */
    long number(String name, @Nullable Long fallback) {
        if (fallback != null && !has(name)) {
            return fallback;
        }
        JsonValue value = required(name);
        if (!(value instanceof JsonInteger) || ((JsonInteger) value).value() < 0) {
            throw wrong(name, "an integer of at least 0", value);
        }
        return ((JsonInteger) value).value();
    }

    int integer(String name, @Nullable Integer fallback) {
        long value = number(name, fallback == null ? null : fallback.longValue());
        if (value > Integer.MAX_VALUE) {
            throw wrong(name, "at most " + Integer.MAX_VALUE, members.get(name));
        }
        return (int) value;
    }

    @Nullable
    Long optional(String name) {
        return has(name) ? (Long) number(name, null) : null;
    }

    <E extends Enum<E>> E word(String name, Class<E> type, E fallback) {
        String text = string(name, fallback.name().toLowerCase(Locale.ROOT));
        List<String> words = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            String word = constant.name().toLowerCase(Locale.ROOT);
            if (word.equals(text)) {
                return constant;
            }
            words.add(word);
        }
        throw unknown(name, text, String.join(", ", words));
    }

    <T> List<T> list(String name, Function<SchemaJsonObject, T> element) {
        List<T> list = new ArrayList<>();
        JsonValue value = member(name);
        if (value == null) {
            return list;
        }
        if (!(value instanceof JsonArray)) {
            throw wrong(name, "an array", value);
        }
        for (JsonValue item : ((JsonArray) value).values()) {
            list.add(element.apply(of(path + "." + name + "[" + list.size() + "]", item)));
        }
        return list;
    }

    Map<String, String> strings(String name) {
        Map<String, String> strings = new LinkedHashMap<>();
        if (has(name)) {
            SchemaJsonObject object = object(name);
            object.members.keySet().forEach(key -> strings.put(key, object.string(key, null)));
        }
        return strings;
    }

    SchemaJsonObject object(String name) {
        return of(path + "." + name, required(name));
    }

    /** An object, or a word that stands for an object of that type. */
    SchemaJsonObject typed(String name) {
        JsonValue value = required(name);
        return value instanceof JsonString
                ? new SchemaJsonObject(path + "." + name, Map.of("type", value))
                : of(path + "." + name, value);
    }

    /** Refuses members nobody asked for. */
    void end() {
        for (String name : members.keySet()) {
            if (!read.contains(name)) {
                throw new SchemaException(
                        "json", path + " has no member \"" + name + "\"; it may have " + read);
            }
        }
    }

    SchemaException unknown(String name, String value, String allowed) {
        return new SchemaException(
                "json", path + "." + name + " is one of " + allowed + ", not \"" + value + "\"");
    }

    private SchemaException wrong(String name, String expected, JsonValue value) {
        return new SchemaException(
                "json", path + "." + name + " must be " + expected + ", not " + Json.text(value));
    }
}
