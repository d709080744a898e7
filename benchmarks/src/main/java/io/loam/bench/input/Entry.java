package io.loam.bench.input;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One record of input.
 *
 * @param json UTF-8 of the document or the patch; empty for a delete
 * @param vectors one array each; none for deletes and patches
 */
public record Entry(Kind kind, String key, byte[] json, float[][] vectors) {
    /** What the record does. */
    public enum Kind {
        UPSERT,
        DELETE,
        PATCH
    }

    /** Name of the i-th vector. */
    public static String vectorName(int i) {
        return "v" + i;
    }

    /** The record as an operation. */
    public Operation operation() {
        PrimaryKey primaryKey = PrimaryKey.ofString(key);
        if (kind == Kind.DELETE) {
            return new Operation.Delete(primaryKey);
        }
        JsonObject source = Json.parseObject(json);
        if (kind == Kind.PATCH) {
            return new Operation.Patch(
                    primaryKey,
                    Operation.PatchMode.MERGE_DEEP,
                    source,
                    List.of(),
                    Map.of(),
                    Map.of(),
                    null);
        }
        Map<String, float[]> named = new LinkedHashMap<>();
        for (int i = 0; i < vectors.length; i++) {
            named.put(vectorName(i), vectors[i]);
        }
        return new Operation.Upsert(new Document(primaryKey, source, named, Map.of()));
    }
}
