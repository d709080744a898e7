package io.loam.codec.record;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.key.UuidText;
import io.loam.codec.manifest.Golden;
import io.loam.codec.record.Operation.PatchMode;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Documents and operations as the golden files write them. */
public final class GoldenDocuments {
    private static final Map<String, PatchMode> MODES =
            Map.of(
                    "MergeDeep", PatchMode.MERGE_DEEP,
                    "MergeTop", PatchMode.MERGE_TOP,
                    "Replace", PatchMode.REPLACE);

    private GoldenDocuments() {}

    /** A key: a string, or an object of kind and value. */
    public static PrimaryKey key(Golden key) {
        if (key.value() instanceof JsonValue.JsonString text) {
            return PrimaryKey.ofString(text.value());
        }
        String value = key.get("value").text();
        String kind = key.get("kind").text();
        return switch (kind) {
            case "u64" -> PrimaryKey.ofU64(Long.parseUnsignedLong(value));
            case "uuid" -> PrimaryKey.ofUuid(UuidText.parse(value).orElseThrow());
            case "str" -> PrimaryKey.ofString(value);
            default -> throw new IllegalArgumentException("unknown kind of key " + kind);
        };
    }

    public static Operation operation(Golden op) {
        String kind = op.get("op").text();
        return switch (kind) {
            case "upsert" -> new Operation.Upsert(document(op.has("doc") ? op.get("doc") : op));
            case "delete" -> new Operation.Delete(key(op.get("pk")));
            case "patch" -> patch(op);
            default -> throw new IllegalArgumentException("unknown operation " + kind);
        };
    }

    private static Operation patch(Golden op) {
        return new Operation.Patch(
                key(op.get("pk")),
                MODES.get(op.get("mode").text()),
                source(op),
                op.get("delete_keys").list().stream().map(Golden::text).toList(),
                map(op.get("vectors"), v -> optional(v, GoldenDocuments::floats)),
                map(op.get("sparse_vectors"), v -> optional(v, GoldenDocuments::sparse)),
                op.get("upsert").isNull() ? null : document(op.get("upsert")));
    }

    public static Document document(Golden document) {
        return new Document(
                key(document.get("pk")),
                source(document),
                map(document.get("vectors"), GoldenDocuments::floats),
                map(document.get("sparse_vectors"), GoldenDocuments::sparse));
    }

    private static JsonObject source(Golden holder) {
        if (holder.has("source")) {
            return (JsonObject) holder.get("source").value();
        }
        return Json.parseObject(holder.get("source_text").text().getBytes(StandardCharsets.UTF_8));
    }

    public static <T> Map<String, T> map(Golden object, Function<Golden, T> value) {
        Map<String, T> map = new LinkedHashMap<>();
        object.members().forEach((name, member) -> map.put(name, value.apply(member)));
        return map;
    }

    private static <T> Optional<T> optional(Golden value, Function<Golden, T> present) {
        return value.isNull() ? Optional.empty() : Optional.of(present.apply(value));
    }

    public static SparseVector sparse(Golden vector) {
        return SparseVectors.canonical(
                indices(vector.get("indices")), floats(vector.get("values")));
    }

    public static int[] indices(Golden list) {
        return list.list().stream().mapToInt(i -> (int) i.u64()).toArray();
    }

    public static float[] floats(Golden list) {
        List<Golden> values = list.list();
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = number(values.get(i));
        }
        return floats;
    }

    /** A number, or the text of one that JSON cannot write. */
    public static float number(Golden number) {
        return Float.parseFloat(
                number.value() instanceof JsonValue.JsonString text
                        ? text.value()
                        : Json.text(number.value()));
    }
}
