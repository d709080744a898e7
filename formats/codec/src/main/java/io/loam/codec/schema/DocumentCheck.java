package io.loam.codec.schema;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation.Patch;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks documents against one schema, which it prepares once. Violations come in this order:
 * fields in schema order, unmapped paths if the schema is strict, dense vectors, sparse vectors,
 * and the size of what would be indexed. Safe for many threads.
 */
public final class DocumentCheck {
    private record PreparedField(Field field, Extraction path) {}

    private final CollectionSchema schema;
    private final Dynamic dynamic;
    private final List<PreparedField> fields = new ArrayList<>();
    private final Map<String, Integer> dims = new HashMap<>();
    private final Set<String> sparse = new HashSet<>();

    private DocumentCheck(CollectionSchema schema, Dynamic dynamic) {
        this.schema = schema;
        this.dynamic = dynamic;
        for (Field field : schema.fields()) {
            fields.add(new PreparedField(field, Extraction.of(field.sourcePath())));
        }
        for (Vector vector : schema.vectors()) {
            dims.put(vector.name(), vector.dim());
        }
        for (SparseField vector : schema.sparseVectors()) {
            sparse.add(vector.name());
        }
    }

    /** The check of a writer's front end, with the schema's own dynamic mode. */
    public static DocumentCheck of(CollectionSchema schema) {
        return new DocumentCheck(schema, schema.dynamic());
    }

    /** The check when operations are applied: nothing is unmapped. */
    public static DocumentCheck lenient(CollectionSchema schema) {
        return new DocumentCheck(schema, Dynamic.IGNORE);
    }

    public CollectionSchema schema() {
        return schema;
    }

    public Optional<Violation> firstViolation(Document document) {
        return violations(document).stream().findFirst();
    }

    public List<Violation> violations(Document document) {
        List<Violation> violations = new ArrayList<>(0);
        long bytes = 0;
        for (PreparedField prepared : fields) {
            for (JsonValue value : prepared.path().extract(document.source())) {
                bytes += value(prepared.field(), value, violations);
            }
        }
        if (dynamic == Dynamic.STRICT) {
            for (String path : unmapped(document.source())) {
                violations.add(
                        new Violation(path, "strict dynamic mapping: " + path + " is not mapped"));
            }
        }
        document.vectors().forEach((name, vector) -> dense(name, vector, violations));
        document.sparseVectors().forEach((name, vector) -> sparse(name, vector, violations));
        bytes += sparseBytes(document);
        if (bytes > IndexLimits.MAX_DOCUMENT_BYTES) {
            size(document, violations);
        }
        return violations;
    }

    /** Checks a value and returns a bound of its size in the index. */
    private static long value(Field field, JsonValue value, List<Violation> violations) {
        if (field.kind() instanceof FieldKind.Json) {
            return value instanceof JsonObject object ? IndexLimits.estimated().json(object) : 0;
        }
        Coerced coerced = Coercion.coerce(field.kind(), value);
        if (coerced instanceof Coerced.Malformed malformed && !field.ignoreMalformed()) {
            violations.add(new Violation(field.name(), malformed.message()));
        }
        if (!(coerced instanceof Coerced.Value ok)) {
            return 0;
        }
        if (IndexLimits.isLongTerm(field.kind(), ok.value())) {
            violations.add(
                    new Violation(
                            field.name(),
                            "a term of more than " + IndexLimits.MAX_TERM_BYTES + " bytes"));
        }
        return IndexLimits.estimated().value(field.kind(), ok.value());
    }

    private static long sparseBytes(Document document) {
        return document.sparseVectors().values().stream().mapToLong(IndexLimits::sparse).sum();
    }

    /** Names the field with which a document becomes too large, if it is. */
    private void size(Document document, List<Violation> violations) {
        long bytes = sparseBytes(document);
        for (PreparedField prepared : fields) {
            Field field = prepared.field();
            for (JsonValue value : prepared.path().extract(document.source())) {
                bytes += countedBytes(field.kind(), value);
            }
            if (bytes > IndexLimits.MAX_DOCUMENT_BYTES) {
                violations.add(tooLarge(field.name()));
                return;
            }
        }
        if (bytes > IndexLimits.MAX_DOCUMENT_BYTES) {
            violations.add(tooLarge("sparse_vectors"));
        }
    }

    private static Violation tooLarge(String field) {
        return new Violation(
                field,
                "the document takes more than "
                        + IndexLimits.MAX_DOCUMENT_BYTES
                        + " bytes in the index");
    }

    private static long countedBytes(FieldKind kind, JsonValue value) {
        if (kind instanceof FieldKind.Json) {
            return value instanceof JsonObject object ? IndexLimits.counted().json(object) : 0;
        }
        return Coercion.coerce(kind, value) instanceof Coerced.Value ok
                ? IndexLimits.counted().value(kind, ok.value())
                : 0;
    }

    /**
     * Violations of what a patch carries itself, then of its {@code upsert}; the patch's source can
     * only be checked once it is folded.
     */
    public List<Violation> violations(Patch patch) {
        List<Violation> violations = new ArrayList<>(0);
        for (String path : patch.deleteKeys()) {
            if (SchemaValidator.hasEmptySegment(path)) {
                violations.add(
                        new Violation("delete_keys", "\"" + path + "\" has an empty segment"));
            }
        }
        patch.vectors()
                .forEach((name, v) -> v.ifPresent(vector -> dense(name, vector, violations)));
        patch.sparseVectors()
                .forEach((name, v) -> v.ifPresent(vector -> sparse(name, vector, violations)));
        if (patch.upsert() != null) {
            violations.addAll(violations(patch.upsert()));
        }
        return violations;
    }

    /** Leaf paths no field covers, in byte order; none if the dynamic mode is ignore. */
    public List<String> unmapped(JsonObject source) {
        if (dynamic == Dynamic.IGNORE) {
            return List.of();
        }
        return LeafPaths.of(source).keySet().stream().filter(path -> !covered(path)).toList();
    }

    boolean covered(String path) {
        for (Field field : schema.fields()) {
            String covering = field.sourcePath();
            boolean below =
                    field.kind() instanceof FieldKind.Json
                            && (covering.isEmpty() || path.startsWith(covering + "."));
            if (below || covering.equals(path)) {
                return true;
            }
        }
        return false;
    }

    private void dense(String name, float[] vector, List<Violation> violations) {
        String field = "vectors." + name;
        Integer dim = dims.get(name);
        if (dim == null) {
            violations.add(new Violation(field, "unknown vector"));
            return;
        }
        if (vector.length != dim) {
            violations.add(
                    new Violation(field, "expected " + dim + " dimensions, got " + vector.length));
            return;
        }
        for (float value : vector) {
            if (!Float.isFinite(value)) {
                violations.add(new Violation(field, "holds " + value + ", which is not finite"));
                return;
            }
        }
    }

    private void sparse(String name, SparseVector vector, List<Violation> violations) {
        if (!sparse.contains(name)) {
            violations.add(new Violation("sparse_vectors." + name, "unknown sparse vector"));
        }
    }
}
