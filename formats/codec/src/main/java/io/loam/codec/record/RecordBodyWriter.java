package io.loam.codec.record;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.postcard.PostcardWriter;
import io.loam.codec.record.RecordException.Reason;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Writes the bodies of {@link RecordCodec}; maps go in ascending UTF-8 order of their names. */
final class RecordBodyWriter {
    private final PostcardWriter out;

    RecordBodyWriter(PostcardWriter out) {
        this.out = out;
    }

    void key(PrimaryKey key) {
        byte[] canonical = key.canonical();
        switch (key.kind()) {
            case U64:
                out.size(0).u64(key.u64());
                break;
            case UUID:
                out.size(1).raw(canonical, 1, canonical.length - 1);
                break;
            default:
                out.size(2).size(canonical.length - 1).raw(canonical, 1, canonical.length - 1);
        }
    }

    void document(Document document) {
        document.vectors().forEach(RecordBodyWriter::requireFinite);
        key(document.key());
        out.bytes(Json.print(document.source()));
        map(document.vectors(), (name, vector) -> floats(vector));
        map(document.sparseVectors(), (name, vector) -> sparse(vector));
    }

    void patch(Operation.Patch patch) {
        patch.vectors().forEach((name, v) -> requireFinite(name, v.orElse(null)));
        key(patch.key());
        out.size(patch.mode().ordinal());
        out.bytes(Json.print(patch.source()));
        out.size(patch.deleteKeys().size());
        patch.deleteKeys().forEach(out::string);
        map(patch.vectors(), (name, vector) -> option(vector, this::floats));
        map(patch.sparseVectors(), (name, vector) -> option(vector, this::sparse));
        option(Optional.ofNullable(patch.upsert()), this::document);
    }

    private <T> void option(Optional<T> value, java.util.function.Consumer<T> writer) {
        out.bool(value.isPresent());
        value.ifPresent(writer);
    }

    private <T> void map(Map<String, T> map, BiConsumer<String, T> value) {
        out.size(map.size());
        TreeMap<byte[], String> names = new TreeMap<>(Arrays::compareUnsigned);
        map.keySet().forEach(name -> names.put(name.getBytes(StandardCharsets.UTF_8), name));
        names.forEach(
                (utf8, name) -> {
                    out.bytes(utf8);
                    value.accept(name, map.get(name));
                });
    }

    private void floats(float[] values) {
        out.size(values.length);
        for (float value : values) {
            out.f32(value);
        }
    }

    private void sparse(SparseVector vector) {
        out.size(vector.indices().length);
        for (int index : vector.indices()) {
            out.u32(index);
        }
        floats(vector.values());
    }

    private static void requireFinite(String name, @Nullable float[] vector) {
        if (vector == null) {
            return;
        }
        for (int i = 0; i < vector.length; i++) {
            if (!Float.isFinite(vector[i])) {
                throw new RecordException(
                        Reason.MALFORMED,
                        "vector \"" + name + "\" holds " + vector[i] + " at position " + i);
            }
        }
    }
}
