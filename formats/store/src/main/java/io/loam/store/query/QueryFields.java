package io.loam.store.query;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import javax.annotation.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The fields a query can name. */
final class QueryFields {
    private static final int MAX_LISTED = 20;

    /** A field and, of a Json field, the path below it. */
    record Target(Field field, @Nullable String path) {
        boolean isJson() {
            return field.kind() instanceof FieldKind.Json;
        }
    }

    private final Map<String, Field> byName = new LinkedHashMap<>();
    private final int longestName;

    QueryFields(CollectionSchema schema) {
        schema.fields().forEach(field -> byName.put(field.name(), field));
        longestName = byName.keySet().stream().mapToInt(String::length).max().orElse(0);
    }

    /** The field of this name, else the Json field with the longest name it starts with. */
    Optional<Target> find(String name) {
        Field exact = byName.get(name);
        if (exact != null) {
            return Optional.of(new Target(exact, null));
        }
        // No longer piece can be a name, and a text of dots alone has as many pieces as bytes.
        for (int dot = name.lastIndexOf('.', longestName);
                dot > 0;
                dot = name.lastIndexOf('.', dot - 1)) {
            Field prefix = byName.get(name.substring(0, dot));
            if (prefix != null && prefix.kind() instanceof FieldKind.Json) {
                return Optional.of(new Target(prefix, name.substring(dot + 1)));
            }
        }
        return Optional.empty();
    }

    /** The fields that words without a field are looked for in. */
    List<Field> defaults() {
        return byName.values().stream()
                .filter(field -> field.kind() instanceof FieldKind.Text && field.indexed())
                .toList();
    }

    /** The fields' names, for errors. */
    String listed() {
        String names = byName.keySet().stream().limit(MAX_LISTED).collect(Collectors.joining(", "));
        if (byName.isEmpty()) {
            return "the schema has no fields";
        }
        return "fields are " + names + (byName.size() > MAX_LISTED ? ", ..." : "");
    }
}
