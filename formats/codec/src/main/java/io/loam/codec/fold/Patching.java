package io.loam.codec.fold;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.Operation.PatchMode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Applies a patch to a document: the source by its mode, then {@code delete_keys} in order, then
 * dense and sparse vectors. A replaced key keeps its place, a new one goes to the end.
 */
final class Patching {
    private static final int MAX_PARTS = 129;

    private Patching() {}

    static Document apply(Document current, Patch patch) {
        JsonObject source = merged(current.source(), patch.source(), patch.mode());
        if (!patch.deleteKeys().isEmpty()) {
            source = without(source, patch.deleteKeys().stream().map(Patching::split).toList(), 0);
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

    /** No object nests as deep as the last part, so that it may hold what is left of the path. */
    private static String[] split(String path) {
        return path.split("\\.", MAX_PARTS);
    }

    /**
     * Walks objects only; anything else on the way ends a path's walk without effect. All paths at
     * once, so that an object is copied once however many of its members go: a patch may hold
     * millions.
     */
    private static JsonObject without(JsonObject object, List<String[]> paths, int depth) {
        Set<String> removed = new HashSet<>();
        Map<String, List<String[]>> below = new LinkedHashMap<>();
        for (String[] path : paths) {
            JsonValue next = object.members().get(path[depth]);
            if (next != null && depth == path.length - 1) {
                removed.add(path[depth]);
            } else if (next instanceof JsonObject) {
                below.computeIfAbsent(path[depth], name -> new ArrayList<>()).add(path);
            }
        }
        Map<String, JsonValue> members = new LinkedHashMap<>();
        below.forEach(
                (name, deeper) -> {
                    JsonObject next = (JsonObject) object.members().get(name);
                    JsonObject left = without(next, deeper, depth + 1);
                    if (left != next) {
                        members.put(name, left);
                    }
                });
        if (removed.isEmpty() && members.isEmpty()) {
            return object;
        }
        Map<String, JsonValue> left = new LinkedHashMap<>(object.members());
        left.putAll(members);
        left.keySet().removeAll(removed);
        return new JsonObject(left);
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
