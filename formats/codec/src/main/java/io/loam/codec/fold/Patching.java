package io.loam.codec.fold;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Applies a patch to a document: the source by its mode, then {@code delete_keys} in order, then
 * dense and sparse vectors. A replaced key keeps its place, a new one goes to the end.
 */
final class Patching {
    private Patching() {}

    static Document apply(Document current, Patch patch) {
        JsonObject source = merged(current.source(), patch.source(), patch.mode());
        for (String path : patch.deleteKeys()) {
            source = without(source, path.split("\\.", -1), 0);
        }
        return new Document(
                current.key(),
                source,
                changed(current.vectors(), patch.vectors()),
                changed(current.sparseVectors(), patch.sparseVectors()));
    }

    private static JsonObject merged(JsonObject current, JsonObject patch, PatchMode mode) {
        switch (mode) {
            case MERGE_DEEP:
                return deep(current, patch);
            case MERGE_TOP:
                Map<String, JsonValue> members = new LinkedHashMap<>(current.members());
                members.putAll(patch.members());
                return new JsonObject(members);
            default:
                return patch;
        }
    }

    private static JsonObject deep(JsonObject current, JsonObject patch) {
        if (patch.members().isEmpty()) {
            return current;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(current.members());
        patch.members()
                .forEach(
                        (name, value) -> {
                            JsonValue old = members.get(name);
                            boolean both = old instanceof JsonObject && value instanceof JsonObject;
                            members.put(
                                    name,
                                    both ? deep((JsonObject) old, (JsonObject) value) : value);
                        });
        return new JsonObject(members);
    }

    /** Walks objects only; anything else on the way ends the walk without effect. */
    private static JsonObject without(JsonObject object, String[] path, int depth) {
        JsonValue next = object.members().get(path[depth]);
        boolean last = depth == path.length - 1;
        if (next == null || !last && !(next instanceof JsonObject)) {
            return object;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(object.members());
        if (last) {
            members.remove(path[depth]);
        } else {
            members.put(path[depth], without((JsonObject) next, path, depth + 1));
        }
        return new JsonObject(members);
    }

    private static <T> Map<String, T> changed(
            Map<String, T> current, Map<String, Optional<T>> changes) {
        if (changes.isEmpty()) {
            return current;
        }
        Map<String, T> vectors = new LinkedHashMap<>(current);
        changes.forEach(
                (name, change) ->
                        change.ifPresentOrElse(
                                v -> vectors.put(name, v), () -> vectors.remove(name)));
        return vectors;
    }
}
