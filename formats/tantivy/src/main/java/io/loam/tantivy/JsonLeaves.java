package io.loam.tantivy;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.DateText;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the fields of one Json object are made of, by dotted path. Arrays are transparent: their
 * elements are values of the array's own path.
 *
 * <p>Written out flat, a source of long keys above many leaves would take a multiple of its size,
 * so the text of paths is bounded; what lies beyond is not indexed.
 */
final class JsonLeaves {
    /** UTF-16 units of all the distinct paths of an object. */
    static final int MAX_PATHS = 2 << 20;

    /** UTF-16 units of the paths of all the members, a path counted each time it is met. */
    private static final int MAX_VISITS = 64 << 20;

    private int pathsLeft = MAX_PATHS;
    private int visitsLeft = MAX_VISITS;

    private final Map<String, List<JsonValue>> values = new LinkedHashMap<>();
    private final Map<String, List<JsonValue>> words = new LinkedHashMap<>();
    private final Map<String, List<JsonValue>> dates = new LinkedHashMap<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Set<String> nulls = new LinkedHashSet<>();

    JsonLeaves(JsonObject object) {
        members("", object);
    }

    private void members(String prefix, JsonObject object) {
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            int length = prefix.length() + member.getKey().length();
            if (length > visitsLeft) {
                return;
            }
            visitsLeft -= length;
            String path = prefix + member.getKey();
            boolean known = counts.containsKey(path) || nulls.contains(path);
            if (known || length <= pathsLeft) {
                pathsLeft -= known ? 0 : length;
                value(path, member.getValue());
            }
        }
    }

    private void value(String path, JsonValue value) {
        if (value instanceof JsonArray array) {
            array.values().forEach(element -> value(path, element));
        } else if (value instanceof JsonNull) {
            nulls.add(path);
        } else {
            counts.merge(path, 1L, Long::sum);
            if (value instanceof JsonObject object) {
                members(path + ".", object);
            } else {
                leaf(path, value);
            }
        }
    }

    private void leaf(String path, JsonValue value) {
        add(values, path, value);
        if (value instanceof JsonString string) {
            TextAnalyzer standard = Analyzers.named(Analyzers.STANDARD);
            add(words, path, new JsonString(standard.stored(string.value())));
            DateText.formatted(string.value())
                    .ifPresent(millis -> add(dates, path, JsonInteger.of(millis)));
        }
    }

    private static void add(Map<String, List<JsonValue>> to, String path, JsonValue value) {
        to.computeIfAbsent(path, ignored -> new ArrayList<>()).add(value);
    }

    /** Every leaf that is not null. */
    JsonObject values() {
        return byPath(values);
    }

    /** Every string, as its {@link StoredTokens}. */
    JsonObject words() {
        return byPath(words);
    }

    /** Every string that is a date and not all digits, as epoch milliseconds. */
    JsonObject dates() {
        return byPath(dates);
    }

    /** How many values a path has; an object is one. */
    JsonObject counts() {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        counts.forEach((path, count) -> members.put(path, JsonInteger.of(count)));
        return new JsonObject(members);
    }

    /** Paths that hold a null. */
    Set<String> nulls() {
        return nulls;
    }

    private static JsonObject byPath(Map<String, List<JsonValue>> lists) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        lists.forEach((path, list) -> members.put(path, new JsonArray(list)));
        return new JsonObject(members);
    }
}
