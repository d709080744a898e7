package io.loam.store.spi;

import javax.annotation.Nullable;

import java.io.IOException;

/** Rows of a scan, one after the other; closing frees what it holds. */
public interface RowCursor extends AutoCloseable {
    /** The next row, or null at the end. */
    @Nullable
    StoredRow next() throws IOException;

    @Override
    void close() throws IOException;
}
