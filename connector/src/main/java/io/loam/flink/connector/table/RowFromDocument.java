package io.loam.flink.connector.table;

import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.record.SparseVector;
import io.loam.flink.connector.source.RowConverter;
import io.loam.flink.connector.table.TableColumns.TableColumn;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Turns stored documents into rows of a table: some of its columns, and metadata behind them. */
final class RowFromDocument implements RowConverter<RowData> {
    private static final long serialVersionUID = 1L;

    private final TableColumns columns;
    private final KeyColumns keys;
    private final int[] selected;
    private final List<TableMetadata> metadata;
    private final boolean ignoreParseErrors;
    @Nullable private final TypeInformation<RowData> type;
    private final List<JsonReader> readers = new ArrayList<>();

    /**
     * @param selected positions of the columns wanted, in the order wanted
     * @param type of the rows produced; null if nobody asks for it
     */
    RowFromDocument(
            TableColumns columns,
            int[] selected,
            List<TableMetadata> metadata,
            boolean ignoreParseErrors,
            @Nullable TypeInformation<RowData> type) {
        this.columns = columns;
        this.keys = new KeyColumns(columns);
        this.selected = selected.clone();
        this.metadata = List.copyOf(metadata);
        this.ignoreParseErrors = ignoreParseErrors;
        this.type = type;
        for (int position : selected) {
            TableColumn column = columns.get(position);
            readers.add(
                    column.role() instanceof ColumnRole.Source
                            ? JsonReader.of(column.type())
                            : null);
        }
    }

    @Override
    public Projection projection() {
        boolean source = false;
        boolean vectors = false;
        for (int position : selected) {
            boolean isSource = columns.get(position).role() instanceof ColumnRole.Source;
            source |= isSource && !columns.isKey(position);
            vectors |= !isSource && !columns.isKey(position);
        }
        source |= metadata.contains(TableMetadata.SOURCE);
        boolean sequence =
                metadata.contains(TableMetadata.INGEST_PARTITION)
                        || metadata.contains(TableMetadata.INGEST_OFFSET);
        return new Projection(source, sequence, vectors);
    }

    @Override
    public RowData convert(RowKind kind, StoredRow row, long version) {
        GenericRowData out = new GenericRowData(kind, selected.length + metadata.size());
        JsonObject source =
                row.source() == null ? JsonObject.EMPTY : Json.parseObject(row.source());
        List<Object> key = null;
        for (int i = 0; i < selected.length; i++) {
            int position = selected[i];
            try {
                if (columns.isKey(position)) {
                    key = key == null ? keys.values(row.key()) : key;
                    out.setField(i, key.get(columns.key().indexOf(position)));
                } else {
                    out.setField(i, value(i, columns.get(position), source, row));
                }
            } catch (ValueException e) {
                if (!ignoreParseErrors || columns.isKey(position)) {
                    throw new ValueException(
                            "column "
                                    + columns.get(position).name()
                                    + " of the document "
                                    + row.key()
                                    + ": "
                                    + e.getMessage()
                                    + "; with 'ignore-parse-errors' = 'true' it reads as NULL",
                            e);
                }
            }
        }
        for (int i = 0; i < metadata.size(); i++) {
            out.setField(selected.length + i, metadata.get(i).value(row, version));
        }
        return out;
    }

    @Nullable
    private Object value(int i, TableColumn column, JsonObject source, StoredRow row) {
        if (column.role() instanceof ColumnRole.Source) {
            JsonValue member = source.members().get(column.name());
            return member == null ? null : readers.get(i).read(member);
        }
        if (column.role() instanceof ColumnRole.Dense) {
            float[] vector = row.vectors().get(column.name());
            return vector == null ? null : VectorTypes.dense(vector, column.type());
        }
        SparseVector vector = row.sparseVectors().get(column.name());
        return vector == null ? null : VectorTypes.sparse(vector, column.type());
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return type;
    }

    @Override
    public String toString() {
        return "columns " + Arrays.toString(selected);
    }
}
