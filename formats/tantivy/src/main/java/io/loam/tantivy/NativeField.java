package io.loam.tantivy;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;

import javax.annotation.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/** A field of a split as Tantivy's schema describes it; its id is its position there. */
record NativeField(String name, String type, JsonObject options) {
    /** What a term keeps beside its documents. */
    enum Postings {
        DOCUMENTS("basic"),
        FREQUENCIES("freq"),
        POSITIONS("position");

        private final String text;

        Postings(String text) {
            this.text = text;
        }
    }

    static NativeField typed(
            String name, String type, boolean indexed, boolean fast, boolean stored) {
        Map<String, JsonValue> options = new LinkedHashMap<>();
        options.put("indexed", new JsonBoolean(indexed));
        options.put("fieldnorms", new JsonBoolean(false));
        options.put("fast", new JsonBoolean(fast));
        options.put("stored", new JsonBoolean(stored));
        if (type.equals("date")) {
            options.put("precision", new JsonString("milliseconds"));
        }
        return new NativeField(name, type, new JsonObject(options));
    }

    /**
     * @param indexing null for a text that is only fast
     */
    static NativeField text(String name, @Nullable JsonObject indexing, boolean fast) {
        Map<String, JsonValue> options = new LinkedHashMap<>();
        if (indexing != null) {
            options.put("indexing", indexing);
        }
        options.put("stored", new JsonBoolean(false));
        options.put("fast", fast ? fastWithRawTokenizer() : new JsonBoolean(false));
        return new NativeField(name, "text", new JsonObject(options));
    }

    static NativeField json(String name, JsonObject indexing, JsonValue fast) {
        Map<String, JsonValue> options = new LinkedHashMap<>();
        options.put("stored", new JsonBoolean(false));
        options.put("indexing", indexing);
        options.put("fast", fast);
        options.put("expand_dots_enabled", new JsonBoolean(true));
        return new NativeField(name, "json_object", new JsonObject(options));
    }

    static JsonObject indexing(String tokenizer, Postings postings, boolean fieldnorms) {
        Map<String, JsonValue> indexing = new LinkedHashMap<>();
        indexing.put("record", new JsonString(postings.text));
        indexing.put("fieldnorms", new JsonBoolean(fieldnorms));
        indexing.put("tokenizer", new JsonString(tokenizer));
        return new JsonObject(indexing);
    }

    static JsonObject fastWithRawTokenizer() {
        return new JsonObject(Map.of("with_tokenizer", new JsonString("raw")));
    }

    JsonObject toJson() {
        Map<String, JsonValue> json = new LinkedHashMap<>();
        json.put("name", new JsonString(name));
        json.put("type", new JsonString(type));
        json.put("options", options);
        return new JsonObject(json);
    }
}
