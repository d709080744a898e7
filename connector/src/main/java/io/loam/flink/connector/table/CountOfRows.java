package io.loam.flink.connector.table;

import io.loam.flink.connector.source.RowConverter;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** The one row of {@code COUNT(*)}. */
record CountOfRows(TypeInformation<RowData> type) implements RowConverter<RowData> {
    private static final long serialVersionUID = 1L;

    @Override
    public Projection projection() {
        return Projection.KEYS;
    }

    @Override
    public RowData convert(RowKind kind, StoredRow row, long version) {
        throw new IllegalStateException("rows are counted, not read");
    }

    @Override
    public RowData count(long rows) {
        return GenericRowData.of(rows);
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return type;
    }
}
