package io.loam.flink.connector.source;

import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** Rows by their ids, in the order of these, some at a time. */
final class TakeCursor implements RowCursor {
    private static final int ROWS_AT_ONCE = 512;

    private final RowSnapshot rows;
    private final long[] ids;
    private final Projection projection;
    private int taken;
    private Iterator<StoredRow> chunk = List.<StoredRow>of().iterator();

    /** Leaves the rows open when it is closed. */
    TakeCursor(RowSnapshot rows, long[] ids, Projection projection) {
        this.rows = rows;
        this.ids = ids;
        this.projection = projection;
    }

    @Override
    @Nullable
    public StoredRow next() throws IOException {
        while (!chunk.hasNext() && taken < ids.length) {
            int end = Math.min(ids.length, taken + ROWS_AT_ONCE);
            chunk = rows.takeAll(Arrays.copyOfRange(ids, taken, end), projection).iterator();
            taken = end;
        }
        return chunk.hasNext() ? chunk.next() : null;
    }

    @Override
    public void close() {}
}
