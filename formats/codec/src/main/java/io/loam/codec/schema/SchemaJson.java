package io.loam.codec.schema;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonSyntaxException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Modifier;
import io.loam.codec.schema.CollectionSchema.Quantization;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import javax.annotation.Nullable;

/**
 * A schema as a JSON file. Members may be left out where the schema has a default; an unknown
 * member, a wrong type or an unknown word is refused with its path.
 */
public final class SchemaJson {
    private SchemaJson() {}

    /**
     * Reads a schema; {@link SchemaValidator} checks what it says.
     *
     * @throws SchemaException with rule {@code json} if the text is not a schema
     */
    public static CollectionSchema parse(byte[] utf8) {
        try {
            return parse(Json.parseObject(utf8));
        } catch (JsonSyntaxException e) {
            throw new SchemaException("json", "not a JSON object: " + e.getMessage());
        }
    }

    /** As {@link #parse(byte[])}, from a parsed object. */
    public static CollectionSchema parse(JsonValue value) {
        SchemaJsonObject root = SchemaJsonObject.of("schema", value);
        CollectionSchema schema =
                new CollectionSchema(
                        root.number("version", 1L),
                        root.list("fields", SchemaJson::field),
                        root.list("vectors", SchemaJson::vector),
                        root.list("sparse_vectors", SchemaJson::sparse),
                        root.word("dynamic", Dynamic.class, Dynamic.IGNORE),
                        root.integer("max_fields", CollectionSchema.DEFAULT_MAX_FIELDS),
                        root.strings("annotations"));
        root.end();
        return schema;
    }

    private static Field field(SchemaJsonObject json) {
        String name = json.string("name", null);
        FieldKind kind = kind(json);
        boolean text = kind instanceof FieldKind.Text;
        Field field =
                new Field(
                        name,
                        json.string("source_path", name),
                        kind,
                        json.bool("indexed", true),
                        json.bool("fast", !text),
                        json.bool("ignore_malformed", false));
        json.end();
        return field;
    }

    /** An object with a type, or the type's name alone. */
    private static FieldKind kind(SchemaJsonObject field) {
        SchemaJsonObject json = field.typed("kind");
        String type = json.string("type", null);
        FieldKind kind;
        switch (type) {
            case "text":
                kind =
                        new FieldKind.Text(
                                json.string("analyzer", "standard"), json.bool("positions", true));
                break;
            case "keyword":
                kind = new FieldKind.Keyword();
                break;
            case "i64":
                kind = new FieldKind.I64();
                break;
            case "f64":
                kind = new FieldKind.F64();
                break;
            case "bool":
                kind = new FieldKind.Bool();
                break;
            case "date":
                kind = new FieldKind.Date();
                break;
            case "uuid":
                kind = new FieldKind.Uuid();
                break;
            case "json":
                kind = new FieldKind.Json();
                break;
            default:
                throw json.unknown("type", type, "text, keyword, i64, f64, bool, date, uuid, json");
        }
        json.end();
        return kind;
    }

    private static Vector vector(SchemaJsonObject json) {
        Vector vector =
                new Vector(
                        json.string("name", ""),
                        json.integer("dim", null),
                        json.word("distance", Distance.class, Distance.COSINE),
                        json.word("element", Element.class, Element.F32),
                        index(json),
                        hnsw(json),
                        quantization(json));
        json.end();
        return vector;
    }

    private static VectorIndex index(SchemaJsonObject vector) {
        if (!vector.has("index")) {
            return new VectorIndex.Auto();
        }
        SchemaJsonObject json = vector.typed("index");
        String type = json.string("type", null);
        VectorIndex index;
        switch (type) {
            case "auto":
                index = new VectorIndex.Auto();
                break;
            case "none":
                index = new VectorIndex.None();
                break;
            case "ivf_pq":
                index =
                        new VectorIndex.IvfPq(
                                json.optional("num_partitions"),
                                json.optional("num_sub_vectors"),
                                json.integer("num_bits", 8));
                break;
            case "ivf_rq":
                index =
                        new VectorIndex.IvfRq(
                                json.optional("num_partitions"), json.integer("num_bits", 1));
                break;
            case "ivf_hnsw_sq":
                index = new VectorIndex.IvfHnswSq(json.optional("num_partitions"));
                break;
            default:
                throw json.unknown("type", type, "auto, none, ivf_pq, ivf_rq, ivf_hnsw_sq");
        }
        json.end();
        return index;
    }

    private static Hnsw hnsw(SchemaJsonObject vector) {
        if (!vector.has("hnsw")) {
            return Hnsw.DEFAULT;
        }
        SchemaJsonObject json = vector.object("hnsw");
        Hnsw hnsw =
                new Hnsw(
                        json.number("m", Hnsw.DEFAULT.m()),
                        json.number("ef_construct", Hnsw.DEFAULT.efConstruct()),
                        json.number("full_scan_threshold_kb", Hnsw.DEFAULT.fullScanThresholdKb()),
                        json.optional("payload_m"),
                        json.bool("on_disk", false));
        json.end();
        return hnsw;
    }

    @Nullable
    private static Quantization quantization(SchemaJsonObject vector) {
        if (!vector.has("quantization")) {
            return null;
        }
        SchemaJsonObject json = vector.typed("quantization");
        String type = json.string("type", null);
        Quantization quantization;
        switch (type) {
            case "scalar":
                quantization =
                        new Quantization.Scalar(
                                json.optional("quantile_ppm"), json.bool("always_ram", false));
                break;
            case "product":
                quantization =
                        new Quantization.Product(
                                json.number("compression_ratio", null),
                                json.bool("always_ram", false));
                break;
            case "binary":
                quantization = new Quantization.Binary(json.bool("always_ram", false));
                break;
            default:
                throw json.unknown("type", type, "scalar, product, binary");
        }
        json.end();
        return quantization;
    }

    private static SparseField sparse(SchemaJsonObject json) {
        SparseField sparse =
                new SparseField(
                        json.string("name", null),
                        json.word("modifier", Modifier.class, Modifier.NONE));
        json.end();
        return sparse;
    }

    /** Prints every member; {@link #parse} reads it back to an equal schema. */
    public static byte[] print(CollectionSchema schema) {
        return Json.print(SchemaJsonPrinter.object(schema));
    }
}
