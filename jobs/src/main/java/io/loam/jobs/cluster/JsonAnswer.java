package io.loam.jobs.cluster;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.util.List;
import java.util.Optional;

/** Members of a JSON answer; another shape than expected is an error of the other side. */
record JsonAnswer(JsonObject object) {

    String text(String name) throws ClusterException {
        return optionalText(name).orElseThrow(() -> unexpected(name));
    }

    Optional<String> optionalText(String name) {
        return object.members().get(name) instanceof JsonString text
                ? Optional.of(text.value())
                : Optional.empty();
    }

    long number(String name) throws ClusterException {
        if (object.members().get(name) instanceof JsonInteger number) {
            return number.value();
        }
        throw unexpected(name);
    }

    Optional<JsonAnswer> optionalObject(String name) {
        return object.members().get(name) instanceof JsonObject member
                ? Optional.of(new JsonAnswer(member))
                : Optional.empty();
    }

    List<JsonAnswer> list(String name) throws ClusterException {
        if (!(object.members().get(name) instanceof JsonArray array)) {
            throw unexpected(name);
        }
        return array.values().stream()
                .filter(JsonObject.class::isInstance)
                .map(value -> new JsonAnswer((JsonObject) value))
                .toList();
    }

    private ClusterException unexpected(String name) {
        JsonValue found = object.members().get(name);
        return new ClusterException(
                "no answer of Flink: member "
                        + name
                        + " is "
                        + (found == null ? "missing" : found));
    }
}
