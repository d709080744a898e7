package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonString;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which dense vectors of a collection are to have a hot graph: the annotation {@code loams.hot} of
 * its schema, a JSON array of their names, or {@code *} for all of them.
 */
public final class HotConfiguration {
    /** The annotation's key. */
    public static final String KEY = "loams.hot";

    private static final String ALL = "*";

    private HotConfiguration() {}

    /** The annotation's value for vectors of these names. */
    public static String print(List<String> vectors) {
        if (vectors.contains(ALL)) {
            return ALL;
        }
        return Json.text(new JsonArray(vectors.stream().<JsonValue>map(JsonString::new).toList()));
    }

    /**
     * Positions of the vectors that are to have one.
     *
     * @throws SchemaException if the annotation is not of that form, or names another vector
     */
    public static SortedSet<Integer> pinned(CollectionSchema schema) {
        String text = schema.annotations().get(KEY);
        SortedSet<Integer> positions = new TreeSet<>();
        if (text == null) {
            return positions;
        }
        if (text.equals(ALL)) {
            IntStream.range(0, schema.vectors().size()).forEach(positions::add);
            return positions;
        }
        if (!(json(text) instanceof JsonArray names)) {
            throw wrong(text, "not a JSON array of names of dense vectors, or *");
        }
        for (JsonValue name : names.values()) {
            if (!(name instanceof JsonString string)) {
                throw wrong(text, Json.text(name) + " is no name");
            }
            positions.add(
                    VectorColumns.densePosition(schema, string.value())
                            .orElseThrow(
                                    () ->
                                            wrong(
                                                    text,
                                                    "the schema has no dense vector \""
                                                            + string.value()
                                                            + "\"")));
        }
        return positions;
    }

    private static JsonValue json(String text) {
        try {
            return Json.parse(text.getBytes(StandardCharsets.UTF_8));
        } catch (JsonSyntaxException e) {
            throw wrong(text, e.getMessage());
        }
    }

    private static SchemaException wrong(String text, String why) {
        return new SchemaException(
                "hot configuration", "annotation \"" + KEY + "\": " + text + ": " + why);
    }
}
