package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Proposes fields for paths that a schema with dynamic mode {@code map} does not cover. */
public final class DynamicMapping {
    private final CollectionSchema schema;
    private final DocumentCheck check;
    private final Set<String> names = new HashSet<>();
    private final Set<String> paths = new HashSet<>();
    private final List<Field> proposed = new ArrayList<>();

    private DynamicMapping(CollectionSchema schema) {
        this.schema = schema;
        this.check = DocumentCheck.of(schema);
        schema.fields().forEach(field -> names.add(field.name()));
    }

    /**
     * Unmapped paths of a source that could become fields, in byte order; empty unless the mode is
     * {@code map}.
     */
    public static List<String> required(CollectionSchema schema, JsonObject source) {
        if (schema.dynamic() != Dynamic.MAP) {
            return List.of();
        }
        DynamicMapping mapping = new DynamicMapping(schema);
        return mapping.check.unmapped(source).stream().filter(mapping::free).toList();
    }

    /**
     * The fields to append for these sources, first come, first served.
     *
     * @throws SchemaException with rule {@code too many fields} if they exceed max_fields
     */
    public static List<Field> propose(CollectionSchema schema, List<JsonObject> sources) {
        DynamicMapping mapping = new DynamicMapping(schema);
        sources.forEach(mapping::add);
        int total =
                schema.fields().size()
                        + schema.vectors().size()
                        + schema.sparseVectors().size()
                        + mapping.proposed.size();
        if (total > schema.maxFields()) {
            throw new SchemaException(
                    "too many fields",
                    total + " fields and vectors would exceed max_fields " + schema.maxFields());
        }
        return mapping.proposed;
    }

    private void add(JsonObject source) {
        for (Map.Entry<String, JsonValue> leaf : LeafPaths.of(source).entrySet()) {
            String path = leaf.getKey();
            if (!check.covered(path) && !paths.contains(path) && free(path)) {
                paths.add(path);
                propose(path, leaf.getValue());
            }
        }
    }

    private boolean free(String path) {
        return SchemaValidator.isFieldName(path) && !names.contains(path);
    }

    private void propose(String path, JsonValue value) {
        if (!(value instanceof JsonString)) {
            add(path, path, number(value));
            return;
        }
        if (DateText.formatted(((JsonString) value).value()).isPresent()) {
            add(path, path, new FieldKind.Date());
            return;
        }
        add(path, path, new FieldKind.Text("standard", true));
        String sibling = path + ".keyword";
        if (free(sibling)) {
            add(sibling, path, new FieldKind.Keyword());
        }
    }

    private static FieldKind number(JsonValue value) {
        if (value instanceof JsonBoolean) {
            return new FieldKind.Bool();
        }
        boolean fits = value instanceof JsonInteger && !((JsonInteger) value).unsigned();
        return fits ? new FieldKind.I64() : new FieldKind.F64();
    }

    private void add(String name, String path, FieldKind kind) {
        names.add(name);
        proposed.add(new Field(name, path, kind, true, !(kind instanceof FieldKind.Text), false));
    }
}
