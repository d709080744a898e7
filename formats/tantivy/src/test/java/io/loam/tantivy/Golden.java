package io.loam.tantivy;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Golden files and what tests take out of them. */
final class Golden {
    private Golden() {}

    static JsonObject read(String name) {
        try (InputStream in = Golden.class.getResourceAsStream("/golden/" + name)) {
            return Json.parseObject(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<JsonValue> array(JsonObject object, String member) {
        return ((JsonArray) object.members().get(member)).values();
    }

    static String string(JsonObject object, String member) {
        return ((JsonString) object.members().get(member)).value();
    }

    static List<Integer> ints(JsonValue array) {
        return ((JsonArray) array)
                .values().stream().map(value -> (int) ((JsonInteger) value).value()).toList();
    }

    static List<String> strings(JsonValue array) {
        return ((JsonArray) array)
                .values().stream().map(value -> ((JsonString) value).value()).toList();
    }
}
