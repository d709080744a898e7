package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Quantization;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import javax.annotation.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The full JSON form of a schema. */
final class SchemaJsonPrinter {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    private SchemaJsonPrinter() {}

    static JsonObject object(CollectionSchema schema) {
        SchemaJsonPrinter annotations = new SchemaJsonPrinter();
        new TreeMap<>(schema.annotations()).forEach(annotations::put);
        return new SchemaJsonPrinter()
                .put("version", schema.version())
                .put("fields", list(schema.fields(), SchemaJsonPrinter::field))
                .put("vectors", list(schema.vectors(), SchemaJsonPrinter::vector))
                .put("sparse_vectors", list(schema.sparseVectors(), SchemaJsonPrinter::sparse))
                .put("dynamic", schema.dynamic())
                .put("max_fields", (long) schema.maxFields())
                .put("annotations", annotations.build())
                .build();
    }

    private static JsonObject field(Field field) {
        SchemaJsonPrinter kind = typed(Coercion.kindName(field.kind()));
        if (field.kind() instanceof FieldKind.Text) {
            FieldKind.Text text = (FieldKind.Text) field.kind();
            kind.put("analyzer", text.analyzer()).put("positions", text.positions());
        }
        return new SchemaJsonPrinter()
                .put("name", field.name())
                .put("source_path", field.sourcePath())
                .put("kind", kind.build())
                .put("indexed", field.indexed())
                .put("fast", field.fast())
                .put("ignore_malformed", field.ignoreMalformed())
                .build();
    }

    private static JsonObject vector(Vector vector) {
        Hnsw hnsw = vector.hnsw();
        JsonObject hnswObject =
                new SchemaJsonPrinter()
                        .put("m", hnsw.m())
                        .put("ef_construct", hnsw.efConstruct())
                        .put("full_scan_threshold_kb", hnsw.fullScanThresholdKb())
                        .put("payload_m", hnsw.payloadM())
                        .put("on_disk", hnsw.onDisk())
                        .build();
        return new SchemaJsonPrinter()
                .put("name", vector.name())
                .put("dim", (long) vector.dim())
                .put("distance", vector.distance())
                .put("element", vector.element())
                .put("index", index(vector.index()))
                .put("hnsw", hnswObject)
                .put("quantization", quantization(vector.quantization()))
                .build();
    }

    private static JsonObject index(VectorIndex index) {
        if (index instanceof VectorIndex.IvfPq) {
            VectorIndex.IvfPq pq = (VectorIndex.IvfPq) index;
            return typed("ivf_pq")
                    .put("num_partitions", pq.numPartitions())
                    .put("num_sub_vectors", pq.numSubVectors())
                    .put("num_bits", (long) pq.numBits())
                    .build();
        }
        if (index instanceof VectorIndex.IvfRq) {
            VectorIndex.IvfRq rq = (VectorIndex.IvfRq) index;
            return typed("ivf_rq")
                    .put("num_partitions", rq.numPartitions())
                    .put("num_bits", (long) rq.numBits())
                    .build();
        }
        if (index instanceof VectorIndex.IvfHnswSq) {
            Long partitions = ((VectorIndex.IvfHnswSq) index).numPartitions();
            return typed("ivf_hnsw_sq").put("num_partitions", partitions).build();
        }
        return typed(index instanceof VectorIndex.None ? "none" : "auto").build();
    }

    @Nullable
    private static JsonObject quantization(@Nullable Quantization quantization) {
        if (quantization instanceof Quantization.Scalar) {
            Quantization.Scalar scalar = (Quantization.Scalar) quantization;
            return typed("scalar")
                    .put("quantile_ppm", scalar.quantilePpm())
                    .put("always_ram", scalar.alwaysRam())
                    .build();
        }
        if (quantization instanceof Quantization.Product) {
            Quantization.Product product = (Quantization.Product) quantization;
            return typed("product")
                    .put("compression_ratio", product.compressionRatio())
                    .put("always_ram", product.alwaysRam())
                    .build();
        }
        return quantization == null
                ? null
                : typed("binary")
                        .put("always_ram", ((Quantization.Binary) quantization).alwaysRam())
                        .build();
    }

    private static JsonObject sparse(SparseField sparse) {
        return new SchemaJsonPrinter()
                .put("name", sparse.name())
                .put("modifier", sparse.modifier())
                .build();
    }

    private static SchemaJsonPrinter typed(String type) {
        return new SchemaJsonPrinter().put("type", type);
    }

    private static <T> JsonArray list(List<T> items, Function<T, JsonObject> printer) {
        return new JsonArray(items.stream().map(item -> (JsonValue) printer.apply(item)).toList());
    }

    private SchemaJsonPrinter put(String name, @Nullable Object value) {
        members.put(name, json(value));
        return this;
    }

    private static JsonValue json(@Nullable Object value) {
        if (value == null) {
            return JsonValue.NULL;
        } else if (value instanceof JsonValue) {
            return (JsonValue) value;
        } else if (value instanceof Boolean) {
            return new JsonBoolean((Boolean) value);
        } else if (value instanceof Long) {
            return JsonInteger.of((Long) value);
        } else if (value instanceof Enum) {
            return new JsonString(((Enum<?>) value).name().toLowerCase(Locale.ROOT));
        }
        return new JsonString((String) value);
    }

    private JsonObject build() {
        return new JsonObject(members);
    }
}
