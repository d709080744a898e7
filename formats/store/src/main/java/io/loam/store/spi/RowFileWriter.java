package io.loam.store.spi;

import io.loam.codec.staged.UnitColumn;

import java.io.IOException;
import java.util.List;

/**
 * Writes one data file on local disk. Not thread-safe. Closing without finish abandons the file.
 */
public interface RowFileWriter extends AutoCloseable {
    /** What was written: number of rows, size in bytes, vector columns in file order. */
    record Written(long rows, long bytes, List<UnitColumn> columns) {}

    void append(Row row) throws IOException;

    Written finish() throws IOException;

    @Override
    void close() throws IOException;
}
