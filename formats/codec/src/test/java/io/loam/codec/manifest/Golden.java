package io.loam.codec.manifest;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A value of a golden file, with the name that a failing test shows. */
public record Golden(String name, JsonValue value) {

    public static Golden file(String name) {
        try (InputStream in = Golden.class.getResourceAsStream("/golden/" + name)) {
            return new Golden(name, Json.parse(in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Map<String, Golden> members() {
        Map<String, Golden> members = new LinkedHashMap<>();
        ((JsonValue.JsonObject) value)
                .members()
                .forEach((key, member) -> members.put(key, new Golden(key, member)));
        return members;
    }

    public boolean has(String key) {
        return members().containsKey(key);
    }

    public Golden get(String key) {
        Golden member = members().get(key);
        if (member == null) {
            throw new IllegalArgumentException(name + " has no member " + key);
        }
        return member;
    }

    /** Elements, named by their member {@code name} if they have one. */
    public List<Golden> list() {
        List<JsonValue> values = ((JsonValue.JsonArray) value).values();
        return IntStream.range(0, values.size())
                .mapToObj(i -> new Golden(nameOf(values.get(i), i), values.get(i)))
                .toList();
    }

    private String nameOf(JsonValue element, int index) {
        if (element instanceof JsonValue.JsonObject object
                && object.members().get("name") instanceof JsonValue.JsonString named) {
            return named.value();
        }
        return name + "[" + index + "]";
    }

    public boolean isNull() {
        return value.equals(JsonValue.NULL);
    }

    public String text() {
        return ((JsonValue.JsonString) value).value();
    }

    public byte[] hex() {
        return HexFormat.of().parseHex(text());
    }

    /** An unsigned number, a JSON integer or its decimal text. */
    public long u64() {
        return value instanceof JsonValue.JsonString string
                ? Long.parseUnsignedLong(string.value())
                : ((JsonValue.JsonInteger) value).value();
    }

    public long u64(String key, long otherwise) {
        return has(key) ? get(key).u64() : otherwise;
    }

    public String text(String key, String otherwise) {
        return has(key) ? get(key).text() : otherwise;
    }

    /** An object of partition to offset. */
    public Map<Integer, Long> offsets() {
        Map<Integer, Long> offsets = new LinkedHashMap<>();
        members().forEach((key, next) -> offsets.put(Integer.parseUnsignedInt(key), next.u64()));
        return offsets;
    }

    /** Row-id ranges, pairs of start and end. */
    public List<RowIdRange> ranges() {
        return list().stream()
                .map(pair -> new RowIdRange(pair.list().get(0).u64(), pair.list().get(1).u64()))
                .toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
