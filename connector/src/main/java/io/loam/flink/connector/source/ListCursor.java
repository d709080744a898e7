package io.loam.flink.connector.source;

import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.util.Iterator;

/** Rows that are there already. */
record ListCursor(Iterator<StoredRow> rows) implements RowCursor {
    @Override
    @Nullable
    public StoredRow next() {
        return rows.hasNext() ? rows.next() : null;
    }

    @Override
    public void close() {}
}
