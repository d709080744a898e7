package io.loam.flink.connector.table;

import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.SparseVector;
import io.loam.flink.connector.Changes;
import io.loam.flink.connector.table.TableColumns.TableColumn;
import io.loam.flink.operators.CollectionElement;

import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

import javax.annotation.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns rows of a changelog into changes of documents: what is inserted or an update's new row
 * replaces the document, or with target columns patches it; what is deleted removes it. A row that
 * cannot be kept becomes a dead letter.
 */
final class RowToChange implements FlatMapFunction<RowData, CollectionElement> {
    private static final long serialVersionUID = 1L;

    private final TableColumns columns;
    private final KeyColumns keys;
    private final Existing existing;
    private final boolean fail;
    private final int[] written;
    private final List<RowData.FieldGetter> getters = new ArrayList<>();
    private final List<JsonWriter> writers = new ArrayList<>();

    /** What becomes of the document a key has. */
    enum Existing {
        /** It is replaced. */
        REPLACED,
        /** What is written changes; a document that is not there is made. */
        PATCHED,
        /** What is written changes, if there is a document. */
        PATCHED_ONLY
    }

    /**
     * @param columns of the rows
     * @param written positions of the columns that are written
     * @param fail whether a row that cannot be kept is an error instead of a dead letter
     */
    RowToChange(TableColumns columns, Existing existing, int[] written, boolean fail) {
        this.columns = columns;
        this.keys = new KeyColumns(columns);
        this.existing = existing;
        this.fail = fail;
        this.written = written.clone();
        for (int i = 0; i < columns.size(); i++) {
            TableColumn column = columns.get(i);
            getters.add(RowData.createFieldGetter(column.type(), i));
            writers.add(
                    column.role() instanceof ColumnRole.Source
                            ? JsonWriter.of(column.type(), column.name())
                            : null);
        }
    }

    @Override
    public void flatMap(RowData row, Collector<CollectionElement> out) {
        if (row.getRowKind() == RowKind.UPDATE_BEFORE) {
            return; // the new row has the same key
        }
        PrimaryKey key;
        try {
            key = keys.key(row);
        } catch (ValueException e) {
            out.collect(rejected(null, row, e));
            return;
        }
        if (row.getRowKind() == RowKind.DELETE) {
            out.collect(Changes.delete(key));
            return;
        }
        try {
            Values values = values(row);
            out.collect(Changes.of(operation(key, values)));
        } catch (ValueException e) {
            out.collect(rejected(key, row, e));
        }
    }

    private Operation operation(PrimaryKey key, Values values) {
        return existing == Existing.REPLACED
                ? new Operation.Upsert(values.document(key))
                : values.patch(key, existing == Existing.PATCHED);
    }

    private CollectionElement rejected(@Nullable PrimaryKey key, RowData row, ValueException e) {
        if (fail) {
            throw new ValueException(
                    (key == null ? "a row" : "the row of the key " + key)
                            + " cannot be written: "
                            + e.getMessage()
                            + "; with 'sink.on-error' = 'dead-letter' the statement goes on"
                            + " without it",
                    e);
        }
        return Changes.rejected(
                key == null ? null : key.canonical(),
                row.toString().getBytes(StandardCharsets.UTF_8),
                "undecodable: " + e.getMessage());
    }

    private Values values(RowData row) {
        Values values = new Values();
        for (int i : written) {
            TableColumn column = columns.get(i);
            Object value = getters.get(i).getFieldOrNull(row);
            try {
                if (column.role() instanceof ColumnRole.Key) {
                    continue;
                }
                if (value == null) {
                    values.missing.add(column);
                } else if (column.role() instanceof ColumnRole.Source) {
                    values.source.put(column.name(), writers.get(i).write(value));
                } else if (column.role() instanceof ColumnRole.Dense) {
                    values.dense.put(
                            column.name(), VectorTypes.dense((ArrayData) value, column.type()));
                } else {
                    values.sparse.put(column.name(), VectorTypes.sparse(value, column.type()));
                }
            } catch (ValueException e) {
                throw new ValueException("column " + column.name() + ": " + e.getMessage(), e);
            }
        }
        return values;
    }

    /** What a row says of a document. */
    private static final class Values {
        private final Map<String, JsonValue> source = new LinkedHashMap<>();
        private final Map<String, float[]> dense = new HashMap<>();
        private final Map<String, SparseVector> sparse = new HashMap<>();
        private final List<TableColumn> missing = new ArrayList<>();

        Document document(PrimaryKey key) {
            return new Document(key, new JsonObject(source), dense, sparse);
        }

        /**
         * Sets what is there and removes what is null.
         *
         * @param makes whether it makes the document if there is none
         */
        Operation patch(PrimaryKey key, boolean makes) {
            Map<String, JsonValue> changed = new LinkedHashMap<>(source);
            Map<String, Optional<float[]>> denseChanges = new HashMap<>();
            Map<String, Optional<SparseVector>> sparseChanges = new HashMap<>();
            dense.forEach((name, vector) -> denseChanges.put(name, Optional.of(vector)));
            sparse.forEach((name, vector) -> sparseChanges.put(name, Optional.of(vector)));
            for (TableColumn column : missing) {
                if (column.role() instanceof ColumnRole.Source) {
                    changed.put(column.name(), JsonValue.NULL);
                } else if (column.role() instanceof ColumnRole.Dense) {
                    denseChanges.put(column.name(), Optional.empty());
                } else {
                    sparseChanges.put(column.name(), Optional.empty());
                }
            }
            return new Operation.Patch(
                    key,
                    Operation.PatchMode.MERGE_TOP,
                    new JsonObject(changed),
                    List.of(),
                    denseChanges,
                    sparseChanges,
                    makes ? document(key) : null);
        }
    }
}
