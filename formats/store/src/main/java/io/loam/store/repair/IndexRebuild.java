package io.loam.store.repair;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;

/** Reads the keys of a version for a new index, in as many shares as are wanted. */
public final class IndexRebuild implements AutoCloseable {
    private final CollectionHandle handle;
    private final CollectionManifest manifest;
    @Nullable private RowSnapshot rows;

    /** Takes entries of the index. */
    public interface Sink {
        void put(PrimaryKey key, long rowId) throws IOException;
    }

    private IndexRebuild(CollectionHandle handle, CollectionManifest manifest) {
        this.handle = handle;
        this.manifest = manifest;
    }

    /** Opens nothing before the first share is read. */
    public static IndexRebuild of(CollectionHandle handle, CollectionManifest manifest) {
        return new IndexRebuild(handle, manifest);
    }

    /** Gives the sink one share of the live rows; returns how many. */
    public static long scan(
            CollectionHandle handle, CollectionManifest manifest, int part, int parts, Sink sink)
            throws IOException {
        try (IndexRebuild rebuild = of(handle, manifest)) {
            return rebuild.scan(part, parts, sink);
        }
    }

    /** Gives the sink one share of the live rows; returns how many. */
    public long scan(int part, int parts, Sink sink) throws IOException {
        if (manifest.lanceVersion() == 0) {
            return 0;
        }
        if (rows == null) {
            rows = handle.rows().open(manifest, handle.schema());
        }
        try (RowCursor cursor = rows.scan(Projection.KEYS, part, parts)) {
            long entries = 0;
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                sink.put(row.key(), row.rowId());
                entries++;
            }
            return entries;
        }
    }

    @Override
    public void close() throws IOException {
        if (rows != null) {
            rows.close();
            rows = null;
        }
    }
}
