package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A {@code meta.json}: which segments an index has, and its schema. */
record IndexMeta(JsonArray schema, String segment, long docCount) {
    static final String FILE = "meta.json";

    /** Names every file of the index; Tantivy refuses to open a directory without it. */
    static final String MANAGED_FILE = ".managed.json";

    private static final Pattern SEGMENT_ID =
            Pattern.compile("[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}");

    /** The bytes of an index without segments. */
    static byte[] empty(TantivyLayout layout) {
        return print(layout.toJson(), List.of());
    }

    /**
     * The bytes of a meta that says this and nothing else, so that native code sees nothing that
     * was not checked.
     */
    static byte[] print(JsonArray schema, List<? extends JsonValue> segments) {
        Map<String, JsonValue> settings = new LinkedHashMap<>();
        settings.put("docstore_compression", new JsonString("lz4"));
        settings.put("docstore_blocksize", JsonInteger.of(16384));
        Map<String, JsonValue> meta = new LinkedHashMap<>();
        meta.put("index_settings", new JsonObject(settings));
        meta.put("segments", new JsonArray(List.copyOf(segments)));
        meta.put("schema", schema);
        meta.put("opstamp", JsonInteger.of(0));
        return Json.print(new JsonObject(meta));
    }

    /**
     * Parses the meta of an index of one segment without deletions.
     *
     * @throws CorruptException if it is not one
     */
    static IndexMeta parse(String path, byte[] bytes) {
        JsonObject json;
        try {
            json = Json.parseObject(bytes);
        } catch (JsonSyntaxException e) {
            throw new CorruptException(path + ": " + FILE + ": " + e.getMessage(), e);
        }
        if (!(json.members().get("schema") instanceof JsonArray schema)) {
            throw new CorruptException(path + ": " + FILE + " has no schema");
        }
        if (!(json.members().get("segments") instanceof JsonArray segments)
                || segments.values().size() != 1
                || !(segments.values().get(0) instanceof JsonObject segment)) {
            throw new CorruptException(path + ": " + FILE + " does not have exactly one segment");
        }
        JsonValue id = segment.members().get("segment_id");
        if (!(id instanceof JsonString name) || !SEGMENT_ID.matcher(name.value()).matches()) {
            throw new CorruptException(path + ": " + FILE + " has no valid segment id");
        }
        if (!(segment.members().get("max_doc") instanceof JsonInteger count)
                || count.unsigned()
                || count.value() < 0) {
            throw new CorruptException(path + ": " + FILE + " has no document count");
        }
        if (!JsonValue.NULL.equals(segment.members().get("deletes"))) {
            throw new CorruptException(path + ": " + FILE + " names deletions of its own");
        }
        return new IndexMeta(schema, name.value().replace("-", ""), count.value());
    }

    byte[] withoutDeletes() {
        return print(schema, List.of(segment(JsonValue.NULL)));
    }

    /** A segment with a number of documents deleted by {@code <segment>.<opstamp>.del}, or 0. */
    JsonObject segmentWithout(long deleted, long opstamp) {
        if (deleted == 0) {
            return segment(JsonValue.NULL);
        }
        Map<String, JsonValue> deletes = new LinkedHashMap<>();
        deletes.put("num_deleted_docs", JsonInteger.of(deleted));
        deletes.put("opstamp", JsonInteger.of(opstamp));
        return segment(new JsonObject(deletes));
    }

    private JsonObject segment(JsonValue deletes) {
        Map<String, JsonValue> only = new LinkedHashMap<>();
        only.put("segment_id", new JsonString(segment));
        only.put("max_doc", JsonInteger.of(docCount));
        only.put("deletes", deletes);
        return new JsonObject(only);
    }

    /** The bytes of {@link #MANAGED_FILE} for these files. */
    static byte[] managed(List<String> files) {
        return Json.print(new JsonArray(files.stream().<JsonValue>map(JsonString::new).toList()));
    }
}
