package io.loam.store;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.RowStore;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Notes that it was closed; can do nothing else. */
record ClosingRowStore(AtomicBoolean closed) implements RowStore {
    @Override
    public void ensureDataset() {
        throw new AssertionError("not expected");
    }

    @Override
    public RowFileWriter newFile(Path file, CollectionSchema schema) {
        throw new AssertionError("not expected");
    }

    @Override
    public RowSnapshot open(long version, CollectionSchema schema) {
        throw new AssertionError("not expected");
    }

    @Override
    public List<Integer> files(CollectionManifest manifest) {
        throw new AssertionError("not expected");
    }

    @Override
    public RowSnapshot openFile(
            String dataFile, long firstRowId, long rows, CollectionSchema schema) {
        throw new AssertionError("not expected");
    }

    @Override
    public void close() {
        closed.set(true);
    }
}
