package io.loam.flink.connector.table;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.CollectionSchema;

import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.Column.ComputedColumn;
import org.apache.flink.table.catalog.Column.MetadataColumn;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.CatalogException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What SQL knows of a table and the schema of its collection does not: one annotation of the
 * schema, JSON, described in docs/formats/schema.md.
 */
final class TableAnnotation {
    /** The annotation's key. */
    static final String KEY = "loams.flink-table";

    private static final long VERSION = 1;

    private TableAnnotation() {}

    /** The annotation of a table. */
    static String print(ResolvedCatalogTable table) {
        ResolvedSchema schema = table.getResolvedSchema();
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("version", JsonInteger.of(VERSION));
        members.put(
                "columns",
                new JsonArray(schema.getColumns().stream().map(TableAnnotation::column).toList()));
        schema.getPrimaryKey().ifPresent(key -> members.put("key", key(key)));
        if (!schema.getWatermarkSpecs().isEmpty()) {
            members.put(
                    "watermarks",
                    new JsonArray(
                            schema.getWatermarkSpecs().stream()
                                    .map(
                                            mark ->
                                                    object(
                                                            "column",
                                                            mark.getRowtimeAttribute(),
                                                            "expression",
                                                            mark.getWatermarkExpression()
                                                                    .asSerializableString()))
                                    .toList()));
        }
        if (table.getComment() != null && !table.getComment().isEmpty()) {
            members.put("comment", new JsonString(table.getComment()));
        }
        Map<String, JsonValue> options = new LinkedHashMap<>();
        new TreeMap<>(table.getOptions())
                .forEach((name, value) -> options.put(name, new JsonString(value)));
        members.put("options", new JsonObject(options));
        return Json.text(new JsonObject(members));
    }

    private static JsonValue column(Column column) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", new JsonString(column.getName()));
        if (column instanceof ComputedColumn computed) {
            members.put(
                    "expression", new JsonString(computed.getExpression().asSerializableString()));
        } else {
            members.put(
                    "type",
                    new JsonString(column.getDataType().getLogicalType().asSerializableString()));
        }
        if (column instanceof MetadataColumn metadata) {
            members.put(
                    "metadata", new JsonString(metadata.getMetadataKey().orElse(column.getName())));
            members.put("virtual", new JsonBoolean(metadata.isVirtual()));
        }
        column.getComment().ifPresent(text -> members.put("comment", new JsonString(text)));
        return new JsonObject(members);
    }

    private static JsonValue key(UniqueConstraint key) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", new JsonString(key.getName()));
        List<JsonValue> columns = new ArrayList<>();
        key.getColumns().forEach(column -> columns.add(new JsonString(column)));
        members.put("columns", new JsonArray(columns));
        return new JsonObject(members);
    }

    private static JsonValue object(String... members) {
        Map<String, JsonValue> object = new LinkedHashMap<>();
        for (int i = 0; i < members.length; i += 2) {
            object.put(members[i], new JsonString(members[i + 1]));
        }
        return new JsonObject(object);
    }

    /**
     * The table that a schema's annotation tells of; empty if it has none.
     *
     * @throws CatalogException if the annotation cannot be read
     */
    static Optional<CatalogTable> read(CollectionSchema schema) {
        String text = schema.annotations().get(KEY);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    table(Members.of(Json.parse(text.getBytes(StandardCharsets.UTF_8)))));
        } catch (JsonSyntaxException | IllegalArgumentException e) {
            throw new CatalogException("annotation " + KEY + ": " + e.getMessage(), e);
        }
    }

    private static CatalogTable table(Members root) {
        JsonValue version = root.get("version");
        if (!version.equals(JsonInteger.of(VERSION))) {
            throw new IllegalArgumentException(
                    "version "
                            + Json.text(version)
                            + " is unknown; a newer program wrote it, this one reads "
                            + VERSION);
        }
        Schema.Builder schema = Schema.newBuilder();
        root.list("columns").forEach(column -> column(Members.of(column), schema));
        root.find("watermarks")
                .ifPresent(
                        marks ->
                                root.list("watermarks").stream()
                                        .map(Members::of)
                                        .forEach(
                                                mark ->
                                                        schema.watermark(
                                                                mark.text("column"),
                                                                mark.text("expression"))));
        root.find("key")
                .map(Members::of)
                .ifPresent(key -> schema.primaryKeyNamed(key.text("name"), key.texts("columns")));
        Map<String, String> options = new HashMap<>();
        Members given = Members.of(root.get("options"));
        given.object().members().keySet().forEach(name -> options.put(name, given.text(name)));
        return CatalogTable.newBuilder()
                .schema(schema.build())
                .comment(root.find("comment").isPresent() ? root.text("comment") : "")
                .options(options)
                .build();
    }

    private static void column(Members column, Schema.Builder schema) {
        String name = column.text("name");
        if (column.find("expression").isPresent()) {
            schema.columnByExpression(name, column.text("expression"));
        } else if (column.find("metadata").isPresent()) {
            String key = column.text("metadata");
            boolean virtual = column.get("virtual").equals(new JsonBoolean(true));
            schema.columnByMetadata(
                    name, column.text("type"), key.equals(name) ? null : key, virtual);
        } else {
            schema.column(name, column.text("type"));
        }
        if (column.find("comment").isPresent()) {
            schema.withComment(column.text("comment"));
        }
    }

    /** Typed members of an object; what is missing or of another type is refused by name. */
    private record Members(JsonObject object) {
        static Members of(JsonValue value) {
            if (value instanceof JsonObject object) {
                return new Members(object);
            }
            throw new IllegalArgumentException("an object is wanted, not " + Json.text(value));
        }

        Optional<JsonValue> find(String name) {
            return Optional.ofNullable(object.members().get(name));
        }

        JsonValue get(String name) {
            return find(name)
                    .orElseThrow(() -> new IllegalArgumentException("\"" + name + "\" is missing"));
        }

        String text(String name) {
            return text(name, get(name));
        }

        private static String text(String name, JsonValue value) {
            if (value instanceof JsonString text) {
                return text.value();
            }
            throw new IllegalArgumentException(
                    "\"" + name + "\" is a string, not " + Json.text(value));
        }

        List<JsonValue> list(String name) {
            if (get(name) instanceof JsonArray array) {
                return array.values();
            }
            throw new IllegalArgumentException("\"" + name + "\" is a list");
        }

        List<String> texts(String name) {
            return list(name).stream().map(value -> text(name, value)).toList();
        }
    }
}
