package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.Extraction;
import io.loam.tantivy.NativeField.Postings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of a split, in the order of their ids:
 *
 * <pre>
 * _pk                bytes, indexed, fast
 * _rowid             u64, indexed, fast
 * _field_presence    u64, indexed
 * per schema field   one field of its name; a Json field n takes five: n, _text.n, _date.n,
 *                    _null.n, _count.n
 * per sparse vector  _sparse.name (u64, indexed) and _sparse_w.name (bytes, fast, stored)
 * </pre>
 *
 * Sparse fields come last, so ids shift when a field is added: ids are a split's own, names are the
 * contract.
 */
final class TantivyLayout {
    static final String KEY = "_pk";
    static final String ROW_ID = "_rowid";
    static final String PRESENCE = "_field_presence";

    /** Native field ids are u16. */
    private static final int MAX_FIELDS = 65535;

    private static final String WHITESPACE = "whitespace";
    private static final String RAW = "raw";

    /** A schema field, its values' path and the id of its (first) native field. */
    record Column(Field field, Extraction path, int id) {}

    private final List<Field> schemaFields;
    private final List<NativeField> fields = new ArrayList<>();
    private final Map<String, Column> columns = new LinkedHashMap<>();
    private final List<SparseField> sparse;

    private TantivyLayout(List<Field> schemaFields, List<SparseField> sparse) {
        this.schemaFields = List.copyOf(schemaFields);
        this.sparse = List.copyOf(sparse);
        fields.add(NativeField.typed(KEY, "bytes", true, true, false));
        fields.add(NativeField.typed(ROW_ID, "u64", true, true, false));
        fields.add(NativeField.typed(PRESENCE, "u64", true, false, false));
        for (Field field : schemaFields) {
            columns.put(
                    field.name(),
                    new Column(field, Extraction.of(field.sourcePath()), fields.size()));
            fields.addAll(nativeFields(field));
        }
        for (SparseField vector : sparse) {
            fields.add(NativeField.typed(indices(vector.name()), "u64", true, false, false));
            fields.add(NativeField.typed(weights(vector.name()), "bytes", false, true, true));
        }
        if (fields.size() > MAX_FIELDS) {
            throw new IllegalArgumentException(
                    "a split has at most "
                            + MAX_FIELDS
                            + " fields, the schema needs "
                            + fields.size());
        }
    }

    static TantivyLayout of(CollectionSchema schema) {
        return new TantivyLayout(schema.fields(), schema.sparseVectors());
    }

    /**
     * The layout of a split written under an older version of a schema. Fields are only ever
     * appended, so it is that of the longest prefix of the current fields which the split has.
     *
     * @throws CorruptException if that is not the split's schema exactly
     */
    static TantivyLayout recover(String path, JsonArray stored, CollectionSchema current) {
        Set<JsonValue> names = new HashSet<>();
        for (JsonValue field : stored.values()) {
            if (field instanceof JsonObject) {
                names.add(((JsonObject) field).members().get("name"));
            }
        }
        int prefix = 0;
        while (prefix < current.fields().size()
                && nativeFields(current.fields().get(prefix)).stream()
                        .allMatch(field -> names.contains(new JsonString(field.name())))) {
            prefix++;
        }
        TantivyLayout layout =
                new TantivyLayout(current.fields().subList(0, prefix), current.sparseVectors());
        if (!layout.toJson().equals(stored)) {
            throw new CorruptException(
                    path
                            + ": the split's fields are not those of the first "
                            + prefix
                            + " fields of schema version "
                            + current.version());
        }
        return layout;
    }

    private static List<NativeField> nativeFields(Field field) {
        String name = field.name();
        FieldKind kind = field.kind();
        if (kind instanceof FieldKind.Text text) {
            Postings postings = text.positions() ? Postings.POSITIONS : Postings.FREQUENCIES;
            String tokenizer = text.analyzer().equals(Analyzers.KEYWORD) ? RAW : WHITESPACE;
            JsonObject indexing =
                    field.indexed() ? NativeField.indexing(tokenizer, postings, true) : null;
            return List.of(NativeField.text(name, indexing, field.fast()));
        }
        if (kind instanceof FieldKind.Json) {
            return jsonFields(name);
        }
        if (kind instanceof FieldKind.Keyword || kind instanceof FieldKind.Uuid) {
            JsonObject indexing =
                    field.indexed() ? NativeField.indexing(RAW, Postings.DOCUMENTS, false) : null;
            return List.of(NativeField.text(name, indexing, field.fast()));
        }
        return List.of(NativeField.typed(name, typeOf(kind), field.indexed(), field.fast(), false));
    }

    private static String typeOf(FieldKind kind) {
        if (kind instanceof FieldKind.I64) {
            return "i64";
        } else if (kind instanceof FieldKind.F64) {
            return "f64";
        } else if (kind instanceof FieldKind.Bool) {
            return "bool";
        } else if (kind instanceof FieldKind.Date) {
            return "date";
        }
        throw new IllegalArgumentException("no native type for " + kind);
    }

    private static List<NativeField> jsonFields(String name) {
        JsonObject exact = NativeField.indexing(RAW, Postings.DOCUMENTS, true);
        JsonObject words = NativeField.indexing(WHITESPACE, Postings.POSITIONS, true);
        JsonBoolean fast = new JsonBoolean(true);
        return List.of(
                NativeField.json(name, exact, NativeField.fastWithRawTokenizer()),
                NativeField.json(words(name), words, new JsonBoolean(false)),
                NativeField.json(dates(name), exact, fast),
                NativeField.text(nulls(name), exact, false),
                NativeField.json(counts(name), exact, fast));
    }

    /** Analysed strings of a Json field. */
    static String words(String jsonField) {
        return "_text." + jsonField;
    }

    /** Strings of a Json field that are dates, in epoch milliseconds. */
    static String dates(String jsonField) {
        return "_date." + jsonField;
    }

    /** Paths of a Json field that hold a null. */
    static String nulls(String jsonField) {
        return "_null." + jsonField;
    }

    /** Values per path of a Json field. */
    static String counts(String jsonField) {
        return "_count." + jsonField;
    }

    /** Indices of a sparse vector. */
    static String indices(String vector) {
        return "_sparse." + vector;
    }

    /** Indices and weights of a sparse vector. */
    static String weights(String vector) {
        return "_sparse_w." + vector;
    }

    Optional<Column> column(String name) {
        return Optional.ofNullable(columns.get(name));
    }

    Iterable<Column> columns() {
        return columns.values();
    }

    /** The fields of the schema that it was made of. */
    List<Field> schemaFields() {
        return schemaFields;
    }

    List<SparseField> sparse() {
        return sparse;
    }

    boolean hasField(String nativeName) {
        return fields.stream().anyMatch(field -> field.name().equals(nativeName));
    }

    int longestName() {
        return fields.stream().mapToInt(field -> field.name().length()).max().orElse(0);
    }

    JsonArray toJson() {
        List<JsonValue> json = new ArrayList<>(fields.size());
        fields.forEach(field -> json.add(field.toJson()));
        return new JsonArray(json);
    }
}
