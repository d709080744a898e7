package io.loam.bench.job;

import io.loam.bench.input.BenchSchemas;
import io.loam.bench.input.Entry;
import io.loam.bench.input.InputFile;
import io.loam.bench.input.WordNetInput;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Documents of an input file, over and over; each with its number. */
final class RealDocuments implements DocumentSource {
    private static final long serialVersionUID = 1L;
    private static final String NUMBER = "n";

    private final String path;
    private transient InputFile file;

    RealDocuments(Path file) {
        this.path = file.toString();
    }

    @Override
    public Operation insert(long number) throws IOException {
        if (file == null) {
            file = InputFile.open(Path.of(path));
        }
        Entry entry = file.entry((int) (number % file.records()));
        Map<String, JsonValue> members =
                new LinkedHashMap<>(Json.parseObject(entry.json()).members());
        members.put(NUMBER, JsonInteger.of(number));
        return new Operation.Upsert(
                new Document(
                        PrimaryKey.ofU64(number),
                        new JsonObject(members),
                        Map.of(Entry.vectorName(0), entry.vectors()[0]),
                        Map.of()));
    }

    @Override
    public CollectionSchema indexedBy() {
        CollectionSchema schema = BenchSchemas.of(true, 1, WordNetInput.DIMENSION);
        List<Field> fields = new ArrayList<>(schema.fields());
        fields.add(new Field(NUMBER, NUMBER, new FieldKind.I64(), true, true, false));
        return new CollectionSchema(
                schema.version(),
                fields,
                schema.vectors(),
                List.of(),
                schema.dynamic(),
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }
}
