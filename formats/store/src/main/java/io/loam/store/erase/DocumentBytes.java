package io.loam.store.erase;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.record.SparseVector;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.StoredRow;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The byte sequences by which a document is known again: its source as printed, every string in it,
 * its vectors as stored, and as hot graphs for cosine have them, of length 1.
 */
final class DocumentBytes {
    private DocumentBytes() {}

    static void of(StoredRow row, Consumer<byte[]> into) {
        byte[] source = row.source();
        if (source != null) {
            into.accept(source);
            strings(Json.parseObject(source), into);
        }
        if (row.vectors() != null) {
            for (float[] vector : row.vectors().values()) {
                floats(vector, into);
                floats(HotEngine.unit(vector), into);
            }
        }
        if (row.sparseVectors() != null) {
            for (SparseVector vector : row.sparseVectors().values()) {
                floats(vector.values(), into);
            }
        }
    }

    private static void strings(JsonValue value, Consumer<byte[]> into) {
        if (value instanceof JsonString string) {
            into.accept(string.value().getBytes(StandardCharsets.UTF_8));
        } else if (value instanceof JsonArray array) {
            array.values().forEach(element -> strings(element, into));
        } else if (value instanceof JsonObject object) {
            object.members().values().forEach(member -> strings(member, into));
        }
    }

    private static void floats(float[] values, Consumer<byte[]> into) {
        ByteBuffer bytes =
                ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        into.accept(bytes.array());
    }
}
