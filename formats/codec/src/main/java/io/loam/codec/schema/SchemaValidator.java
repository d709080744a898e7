package io.loam.codec.schema;

import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Quantization;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The rules of schemas, in a fixed order; the first one broken is reported. */
public final class SchemaValidator {
    private static final int MAX_FIELDS = 100_000;
    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_COLLECTION_NAME_BYTES = 222;
    private static final int MAX_PARTITIONS = 10_000;
    private static final int MAX_DIM = 65_536;
    private static final int EXTRA_ANNOTATIONS = 256;
    private static final int MAX_ANNOTATION_BYTES = 65_536;
    private static final Set<String> ANALYZERS =
            Set.of("standard", "english", "simple", "whitespace", "keyword");
    private static final Set<Long> RATIOS = Set.of(4L, 8L, 16L, 32L, 64L);

    private SchemaValidator() {}

    /**
     * @throws SchemaException naming the first rule broken
     */
    public static void validate(CollectionSchema schema) {
        require(schema.version() != 0, "version", "a schema's version starts at 1");
        require(
                schema.maxFields() >= 1 && schema.maxFields() <= MAX_FIELDS,
                "max_fields",
                "max_fields is 1.." + MAX_FIELDS + ", not " + schema.maxFields());
        int members =
                schema.fields().size() + schema.vectors().size() + schema.sparseVectors().size();
        require(
                members <= schema.maxFields(),
                "too many members",
                members + " fields and vectors, max_fields is " + schema.maxFields());
        Set<String> fields = new HashSet<>();
        schema.fields().forEach(field -> field(field, fields));
        Set<String> dense = new HashSet<>();
        schema.vectors().forEach(vector -> vector(vector, dense));
        Set<String> names = new HashSet<>(dense);
        schema.sparseVectors().forEach(sparse -> sparse(sparse, names));
        annotations(schema);
        HotConfiguration.pinned(schema);
    }

    /** The rules of a new collection: its name, its partitions, and its first schema. */
    public static void validateCreation(String name, int partitions, CollectionSchema schema) {
        validateName(name);
        require(
                partitions >= 1 && partitions <= MAX_PARTITIONS,
                "partitions",
                "a collection has 1.." + MAX_PARTITIONS + " partitions, not " + partitions);
        require(
                schema.version() == 1,
                "version",
                "the schema of a new collection has version 1, not " + schema.version());
        validate(schema);
    }

    /** The rules of a collection's name. */
    public static void validateName(String name) {
        int bytes = utf8(name);
        require(
                bytes >= 1 && bytes <= MAX_COLLECTION_NAME_BYTES && !name.startsWith("_"),
                "collection name",
                "a collection's name has 1.."
                        + MAX_COLLECTION_NAME_BYTES
                        + " bytes and does not start with _, not \""
                        + name
                        + "\"");
    }

    /** Whether a path may become the name of a field. */
    static boolean isFieldName(String name) {
        return !name.isEmpty()
                && utf8(name) <= MAX_NAME_BYTES
                && !hasControl(name)
                && name.charAt(0) != '_'
                && name.charAt(0) != '-'
                && !hasEmptySegment(name);
    }

    static boolean hasEmptySegment(String path) {
        return path.isEmpty() || path.startsWith(".") || path.endsWith(".") || path.contains("..");
    }

    private static void field(Field field, Set<String> names) {
        String where = "field \"" + field.name() + "\"";
        require(
                isFieldName(field.name()),
                "field name",
                where
                        + ": a name has 1..255 bytes, no control character, does not start with _ or -"
                        + " and has no empty part between dots");
        require(names.add(field.name()), "duplicate field", where + " stands twice");
        boolean json = field.kind() instanceof FieldKind.Json;
        require(
                field.sourcePath().isEmpty() ? json : !hasEmptySegment(field.sourcePath()),
                "source path",
                where + ": source_path \"" + field.sourcePath() + "\" has an empty part");
        if (field.kind() instanceof FieldKind.Text) {
            String analyzer = ((FieldKind.Text) field.kind()).analyzer();
            require(
                    ANALYZERS.contains(analyzer),
                    "analyzer",
                    where + ": no analyzer \"" + analyzer + "\"; there are " + ANALYZERS);
            require(!field.fast(), "text is not fast", where + ": a text field cannot be fast");
        }
        require(
                field.indexed() || field.fast(),
                "neither indexed nor fast",
                where + ": indexed or fast must be true");
    }

    private static void vector(Vector vector, Set<String> names) {
        String where = "vector \"" + vector.name() + "\"";
        require(
                utf8(vector.name()) <= MAX_NAME_BYTES && !hasControl(vector.name()),
                "vector name",
                where + ": a name has at most 255 bytes and no control character");
        require(names.add(vector.name()), "duplicate vector", where + " stands twice");
        require(
                vector.dim() >= 1 && vector.dim() <= MAX_DIM,
                "dim",
                where + ": dim is 1.." + MAX_DIM + ", not " + vector.dim());
        VectorIndex index = vector.index();
        require(
                vector.distance() != Distance.MANHATTAN
                        || index instanceof VectorIndex.Auto
                        || index instanceof VectorIndex.None,
                "manhattan",
                where + ": manhattan goes with index auto or none only");
        index(where, vector.dim(), index);
        quantization(where, vector.quantization());
    }

    private static void index(String where, int dim, VectorIndex index) {
        if (index instanceof VectorIndex.IvfPq) {
            VectorIndex.IvfPq pq = (VectorIndex.IvfPq) index;
            require(
                    pq.numBits() == 4 || pq.numBits() == 8,
                    "bits",
                    where + ": ivf_pq has 4 or 8 bits, not " + pq.numBits());
            Long sub = pq.numSubVectors();
            require(
                    sub == null || sub > 0 && dim % sub == 0,
                    "sub vectors",
                    where + ": num_sub_vectors " + sub + " must divide dim " + dim);
            partitions(where, pq.numPartitions());
        } else if (index instanceof VectorIndex.IvfRq) {
            VectorIndex.IvfRq rq = (VectorIndex.IvfRq) index;
            require(
                    rq.numBits() >= 1 && rq.numBits() <= 8,
                    "bits",
                    where + ": ivf_rq has 1..8 bits, not " + rq.numBits());
            partitions(where, rq.numPartitions());
        } else if (index instanceof VectorIndex.IvfHnswSq) {
            partitions(where, ((VectorIndex.IvfHnswSq) index).numPartitions());
        }
    }

    private static void partitions(String where, @Nullable Long partitions) {
        require(
                partitions == null || partitions >= 1 && partitions <= MAX_DIM,
                "partitions",
                where + ": num_partitions is 1.." + MAX_DIM + ", not " + partitions);
    }

    private static void quantization(String where, @Nullable Quantization quantization) {
        if (quantization instanceof Quantization.Product) {
            long ratio = ((Quantization.Product) quantization).compressionRatio();
            require(
                    RATIOS.contains(ratio),
                    "compression",
                    where + ": compression_ratio is 4, 8, 16, 32 or 64, not " + ratio);
        } else if (quantization instanceof Quantization.Scalar) {
            Long quantile = ((Quantization.Scalar) quantization).quantilePpm();
            require(
                    quantile == null || quantile >= 500_000 && quantile <= 1_000_000,
                    "quantile",
                    where + ": quantile_ppm is 500000..1000000, not " + quantile);
        }
    }

    private static void sparse(SparseField sparse, Set<String> names) {
        String where = "sparse vector \"" + sparse.name() + "\"";
        require(
                !sparse.name().isEmpty()
                        && utf8(sparse.name()) <= MAX_NAME_BYTES
                        && !hasControl(sparse.name()),
                "sparse name",
                where + ": a name has 1..255 bytes and no control character");
        require(
                names.add(sparse.name()),
                "duplicate sparse",
                where + ": another vector has that name");
    }

    private static void annotations(CollectionSchema schema) {
        Map<String, String> annotations = new TreeMap<>(schema.annotations());
        require(
                annotations.size() <= schema.maxFields() + EXTRA_ANNOTATIONS,
                "too many annotations",
                annotations.size() + " annotations, at most max_fields + " + EXTRA_ANNOTATIONS);
        annotations.forEach(
                (key, value) -> {
                    boolean prefixed =
                            key.startsWith("es.")
                                    || key.startsWith("qdrant.")
                                    || key.startsWith("loams.");
                    require(
                            prefixed && utf8(key) <= MAX_NAME_BYTES,
                            "annotation key",
                            "annotation \""
                                    + key
                                    + "\": a key starts with es., qdrant. or loams. and has at most"
                                    + " 255 bytes");
                    require(
                            utf8(value) <= MAX_ANNOTATION_BYTES,
                            "annotation value",
                            "annotation \"" + key + "\": a value has at most 65536 bytes");
                });
    }

    /** Or half a surrogate pair, which no encoding of the schema could keep. */
    private static boolean hasControl(String name) {
        return name.codePoints()
                .anyMatch(
                        c ->
                                c < 0x20
                                        || c >= 0x7f && c <= 0x9f
                                        || c >= Character.MIN_SURROGATE
                                                && c <= Character.MAX_SURROGATE);
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void require(boolean holds, String rule, String message) {
        if (!holds) {
            throw new SchemaException(rule, message);
        }
    }
}
