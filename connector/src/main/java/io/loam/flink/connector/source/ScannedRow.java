package io.loam.flink.connector.source;

import io.loam.store.spi.StoredRow;

import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

/**
 * What a reader emits next.
 *
 * @param row null if rows are counted
 * @param version that is read, or that made the change
 * @param count of rows, if they are counted
 */
record ScannedRow(RowKind kind, @Nullable StoredRow row, long version, long count) {
    static ScannedRow of(StoredRow row, long version) {
        return new ScannedRow(RowKind.INSERT, row, version, 0);
    }
}
