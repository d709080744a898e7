package io.loam.tantivy;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseWeights;
import io.loam.codec.schema.Coerced;
import io.loam.codec.schema.Coercion;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.FieldPresence;
import io.loam.tantivy.TantivyLayout.Column;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Writes what a layout makes of a document. */
final class DocumentEncoder {
    private final TantivyLayout layout;
    private final DocumentBatch batch;

    DocumentEncoder(TantivyLayout layout, DocumentBatch batch) {
        this.layout = layout;
        this.batch = batch;
    }

    /**
     * @throws IllegalArgumentException if a field that does not ignore malformed values holds one
     */
    void add(long rowId, Document document) {
        batch.startDocument();
        batch.bytes(TantivyLayout.KEY, document.key().canonical());
        batch.unsigned(TantivyLayout.ROW_ID, List.of(rowId));
        List<Long> present = new ArrayList<>();
        for (Column column : layout.columns()) {
            List<JsonValue> found = column.path().extract(document.source());
            if (column.field().kind() instanceof FieldKind.Json) {
                addJson(column.field().name(), found);
            } else if (addValues(document, column.field(), found)) {
                present.add(FieldPresence.term(column.id()));
            }
        }
        batch.unsigned(TantivyLayout.PRESENCE, present);
        layout.sparse().forEach(field -> addSparse(field, document));
        batch.endDocument();
    }

    /** A document that has a row id and nothing else. */
    void addPlaceholder(long rowId) {
        batch.startDocument();
        batch.unsigned(TantivyLayout.ROW_ID, List.of(rowId));
        batch.endDocument();
    }

    private boolean addValues(Document document, Field field, List<JsonValue> found) {
        List<Object> values = new ArrayList<>(found.size());
        for (JsonValue value : found) {
            Coerced coerced = Coercion.coerce(field.kind(), value);
            if (coerced instanceof Coerced.Value ok) {
                values.add(ok.value());
            } else if (coerced instanceof Coerced.Malformed malformed && !field.ignoreMalformed()) {
                throw new IllegalArgumentException(
                        "document "
                                + document.key()
                                + ", field "
                                + field.name()
                                + ": "
                                + malformed.message());
            }
        }
        if (!values.isEmpty()) {
            addTyped(field, values);
        }
        return !values.isEmpty();
    }

    private void addTyped(Field field, List<Object> values) {
        String name = field.name();
        FieldKind kind = field.kind();
        if (kind instanceof FieldKind.Text text) {
            batch.text(name, stored(text.analyzer(), values));
        } else if (kind instanceof FieldKind.Keyword || kind instanceof FieldKind.Uuid) {
            batch.text(name, cast(String.class, values));
        } else if (kind instanceof FieldKind.I64) {
            batch.integers(name, cast(Long.class, values));
        } else if (kind instanceof FieldKind.F64) {
            batch.doubles(name, cast(Double.class, values));
        } else if (kind instanceof FieldKind.Bool) {
            batch.booleans(name, cast(Boolean.class, values));
        } else {
            batch.dates(name, cast(Long.class, values));
        }
    }

    private static List<String> stored(String analyzer, List<Object> values) {
        List<String> texts = cast(String.class, values);
        if (analyzer.equals(Analyzers.KEYWORD)) {
            return texts;
        }
        TextAnalyzer words = Analyzers.named(analyzer);
        return texts.stream().map(words::stored).toList();
    }

    private static <T> List<T> cast(Class<T> type, List<Object> values) {
        return values.stream().map(type::cast).toList();
    }

    private void addJson(String name, List<JsonValue> found) {
        List<byte[]> values = new ArrayList<>();
        List<byte[]> words = new ArrayList<>();
        List<byte[]> dates = new ArrayList<>();
        List<byte[]> counts = new ArrayList<>();
        Set<String> nulls = new LinkedHashSet<>();
        for (JsonValue value : found) {
            if (value instanceof JsonObject object) {
                JsonLeaves leaves = new JsonLeaves(object);
                addUnlessEmpty(values, leaves.values());
                addUnlessEmpty(words, leaves.words());
                addUnlessEmpty(dates, leaves.dates());
                addUnlessEmpty(counts, leaves.counts());
                nulls.addAll(leaves.nulls());
            }
        }
        batch.json(name, values);
        batch.json(TantivyLayout.words(name), words);
        batch.json(TantivyLayout.dates(name), dates);
        batch.text(TantivyLayout.nulls(name), List.copyOf(nulls));
        batch.json(TantivyLayout.counts(name), counts);
    }

    private static void addUnlessEmpty(List<byte[]> to, JsonObject object) {
        if (!object.members().isEmpty()) {
            to.add(Json.print(object));
        }
    }

    private void addSparse(SparseField field, Document document) {
        SparseVector vector = document.sparseVectors().get(field.name());
        if (vector != null && vector.indices().length > 0) {
            batch.unsigned(TantivyLayout.indices(field.name()), SparseTerms.of(vector));
            batch.bytes(TantivyLayout.weights(field.name()), SparseWeights.encode(vector));
        }
    }
}
