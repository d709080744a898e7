package io.loam.lance;

import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

/** No rows. */
final class EmptyCursor implements RowCursor {
    @Override
    @Nullable
    public StoredRow next() {
        return null;
    }

    @Override
    public void close() {}
}
