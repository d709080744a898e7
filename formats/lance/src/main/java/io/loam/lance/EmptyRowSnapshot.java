package io.loam.lance;

import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.util.List;

/** The rows before the first version. */
final class EmptyRowSnapshot implements RowSnapshot {
    @Override
    public long countRows() {
        return 0;
    }

    @Override
    public List<StoredRow> take(long[] rowIds, Projection projection) {
        return List.of();
    }

    @Override
    public RowCursor scan(Projection projection, int part, int parts) {
        return new EmptyCursor();
    }

    @Override
    public RowCursor scanFile(Projection projection, int file) {
        return new EmptyCursor();
    }

    @Override
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            Projection projection) {
        return List.of();
    }

    @Override
    public void close() {}
}
