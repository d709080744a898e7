package io.loam.jobs.cli;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonDouble;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonNull;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.KeyJson;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.Operation.PatchMode;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseVectors;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the JSON lines of {@code loam produce}. A plain object is an upsert. An object that is only
 * {@code delete}, or has {@code pk} and an object {@code upsert} or {@code patch}, is an operation:
 *
 * <pre>
 * {"title": "x", "_id": 1, "_vectors": {"v": [1, 2]}, "_sparse_vectors": {"s": {"indices": [1], "values": [2]}}}
 * {"upsert": {...}, "pk": 1, "vectors": {...}, "sparse_vectors": {...}}
 * {"delete": 1}
 * {"patch": {...}, "pk": 1, "mode": "merge_deep|merge_top|replace", "delete_keys": ["a.b"],
 *  "vectors": {"v": [1, 2], "gone": null}, "sparse_vectors": {...}, "upsert": {...}}
 * </pre>
 */
final class OperationLine {
    private static final String VECTORS = "_vectors";
    private static final String SPARSE = "_sparse_vectors";
    private static final List<String> UPSERT = List.of("upsert", "pk", "vectors", "sparse_vectors");
    private static final List<String> PATCH =
            List.of("patch", "pk", "mode", "delete_keys", "vectors", "sparse_vectors", "upsert");

    private final String keyField;
    private final Map<String, String> vectorFields;

    /**
     * @param keyField member of a plain object that is its key
     * @param vectorFields source member to vector name: taken out of the source
     */
    OperationLine(String keyField, Map<String, String> vectorFields) {
        this.keyField = keyField;
        this.vectorFields = Map.copyOf(vectorFields);
    }

    /**
     * @throws CliException with what is wrong; the caller adds the line number
     */
    Operation parse(byte[] line) {
        JsonObject object;
        try {
            object = Json.parseObject(line);
        } catch (JsonSyntaxException e) {
            throw new CliException("not a JSON object: " + e.getMessage(), e);
        }
        try {
            return operation(object.members());
        } catch (InvalidKeyException e) {
            throw new CliException("invalid key: " + e.getMessage(), e);
        }
    }

    private Operation operation(Map<String, JsonValue> members) {
        if (members.size() == 1 && members.containsKey("delete")) {
            return new Operation.Delete(KeyJson.fromJson(members.get("delete")));
        }
        if (members.get("patch") instanceof JsonObject && members.containsKey("pk")) {
            return patch(members);
        }
        if (members.get("upsert") instanceof JsonObject && members.containsKey("pk")) {
            refuseOthers(members, UPSERT);
            PrimaryKey key = KeyJson.fromJson(members.get("pk"));
            return new Operation.Upsert(document(key, (JsonObject) members.get("upsert"), members));
        }
        JsonValue key = members.get(keyField);
        if (key == null) {
            throw new CliException(
                    "the object has no member \"" + keyField + "\" to take its key from (--key)");
        }
        return new Operation.Upsert(plain(KeyJson.fromJson(key), new JsonObject(members)));
    }

    private Operation patch(Map<String, JsonValue> members) {
        refuseOthers(members, PATCH);
        PrimaryKey key = KeyJson.fromJson(members.get("pk"));
        List<String> deleteKeys = new ArrayList<>();
        if (members.containsKey("delete_keys")) {
            for (JsonValue path : array("delete_keys", members.get("delete_keys"))) {
                deleteKeys.add(string("delete_keys", path));
            }
        }
        Map<String, Optional<float[]>> vectors = new LinkedHashMap<>();
        for (Map.Entry<String, JsonValue> e : object(members, "vectors").entrySet()) {
            vectors.put(e.getKey(), optional(e.getValue()).map(v -> floats(e.getKey(), v)));
        }
        Map<String, Optional<SparseVector>> sparse = new LinkedHashMap<>();
        for (Map.Entry<String, JsonValue> e : object(members, "sparse_vectors").entrySet()) {
            sparse.put(e.getKey(), optional(e.getValue()).map(v -> sparse(e.getKey(), v)));
        }
        Document upsert =
                members.containsKey("upsert")
                        ? plain(key, new JsonObject(object(members, "upsert")))
                        : null;
        return new Operation.Patch(
                key,
                mode(members.get("mode")),
                (JsonObject) members.get("patch"),
                deleteKeys,
                vectors,
                sparse,
                upsert);
    }

    private static PatchMode mode(JsonValue mode) {
        if (mode == null) {
            return PatchMode.MERGE_DEEP;
        }
        String text = string("mode", mode);
        for (PatchMode candidate : PatchMode.values()) {
            if (candidate.name().replace("_", "").equalsIgnoreCase(text.replace("_", ""))) {
                return candidate;
            }
        }
        throw new CliException("mode is merge_deep, merge_top or replace, not \"" + text + "\"");
    }

    /** A document whose vectors stand in reserved members, or in fields named by flags. */
    private Document plain(PrimaryKey key, JsonObject object) {
        Map<String, JsonValue> source = new LinkedHashMap<>(object.members());
        Map<String, JsonValue> carried = new LinkedHashMap<>();
        JsonValue vectors = source.remove(VECTORS);
        JsonValue sparse = source.remove(SPARSE);
        Map<String, JsonValue> dense = new LinkedHashMap<>();
        if (vectors != null) {
            dense.putAll(members(VECTORS, vectors));
        }
        vectorFields.forEach(
                (field, name) -> {
                    JsonValue value = source.remove(field);
                    if (value != null && !(value instanceof JsonNull)) {
                        dense.put(name, value);
                    }
                });
        carried.put("vectors", new JsonObject(dense));
        if (sparse != null) {
            carried.put("sparse_vectors", sparse);
        }
        return document(key, new JsonObject(source), carried);
    }

    private static Document document(
            PrimaryKey key, JsonObject source, Map<String, JsonValue> carriers) {
        Map<String, float[]> vectors = new LinkedHashMap<>();
        object(carriers, "vectors").forEach((name, v) -> vectors.put(name, floats(name, v)));
        Map<String, SparseVector> sparse = new LinkedHashMap<>();
        object(carriers, "sparse_vectors").forEach((name, v) -> sparse.put(name, sparse(name, v)));
        return new Document(key, source, vectors, sparse);
    }

    private static void refuseOthers(Map<String, JsonValue> members, List<String> known) {
        for (String name : members.keySet()) {
            if (!known.contains(name)) {
                throw new CliException(
                        "the operation has no member \""
                                + name
                                + "\"; it may have "
                                + String.join(", ", known));
            }
        }
    }

    private static Optional<JsonValue> optional(JsonValue value) {
        return value instanceof JsonNull ? Optional.empty() : Optional.of(value);
    }

    private static Map<String, JsonValue> object(Map<String, JsonValue> members, String name) {
        JsonValue value = members.get(name);
        return value == null ? Map.of() : members(name, value);
    }

    private static Map<String, JsonValue> members(String name, JsonValue value) {
        if (!(value instanceof JsonObject)) {
            throw new CliException("\"" + name + "\" must be an object, not " + Json.text(value));
        }
        return ((JsonObject) value).members();
    }

    private static List<JsonValue> array(String name, JsonValue value) {
        if (!(value instanceof JsonArray)) {
            throw new CliException("\"" + name + "\" must be an array, not " + Json.text(value));
        }
        return ((JsonArray) value).values();
    }

    private static String string(String name, JsonValue value) {
        if (!(value instanceof JsonString)) {
            throw new CliException("\"" + name + "\" holds strings, not " + Json.text(value));
        }
        return ((JsonString) value).value();
    }

    private static float[] floats(String name, JsonValue value) {
        List<JsonValue> values = array(name, value);
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) number(name, values.get(i));
            if (!Float.isFinite(floats[i])) {
                throw new CliException(
                        "vector \""
                                + name
                                + "\" holds "
                                + Json.text(values.get(i))
                                + ", beyond a float");
            }
        }
        return floats;
    }

    private static SparseVector sparse(String name, JsonValue value) {
        Map<String, JsonValue> members = members(name, value);
        if (!members.keySet().equals(Set.of("indices", "values"))) {
            throw new CliException(
                    "sparse vector \""
                            + name
                            + "\" is {\"indices\":[...],\"values\":[...]}, not "
                            + Json.text(value));
        }
        List<JsonValue> indices = array("indices", members.get("indices"));
        int[] ints = new int[indices.size()];
        for (int i = 0; i < ints.length; i++) {
            JsonValue index = indices.get(i);
            boolean fits =
                    index instanceof JsonInteger
                            && !((JsonInteger) index).unsigned()
                            && ((JsonInteger) index).value() >>> 32 == 0;
            if (!fits) {
                throw new CliException("a sparse index is 0..4294967295, not " + Json.text(index));
            }
            ints[i] = (int) ((JsonInteger) index).value();
        }
        try {
            return SparseVectors.canonical(ints, floats(name, members.get("values")));
        } catch (IllegalArgumentException e) {
            throw new CliException("sparse vector \"" + name + "\": " + e.getMessage(), e);
        }
    }

    private static double number(String name, JsonValue value) {
        if (value instanceof JsonDouble) {
            return ((JsonDouble) value).value();
        }
        if (value instanceof JsonInteger && !((JsonInteger) value).unsigned()) {
            return ((JsonInteger) value).value();
        }
        if (!(value instanceof JsonInteger)) {
            throw new CliException(
                    "vector \"" + name + "\" holds " + Json.text(value) + ", not a number");
        }
        return Double.parseDouble(Long.toUnsignedString(((JsonInteger) value).value()));
    }
}
