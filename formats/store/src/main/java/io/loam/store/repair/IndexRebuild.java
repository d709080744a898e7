package io.loam.store.repair;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import java.io.IOException;

/** Reads the keys of a version for a new index. */
public final class IndexRebuild {
    private IndexRebuild() {}

    /** Takes entries of the index. */
    public interface Sink {
        void put(PrimaryKey key, long rowId) throws IOException;
    }

    /** Gives the sink one share of the live rows; returns how many. */
    public static long scan(
            CollectionHandle handle, CollectionManifest manifest, int part, int parts, Sink sink)
            throws IOException {
        if (manifest.lanceVersion() == 0) {
            return 0;
        }
        try (RowSnapshot rows = handle.rows().open(manifest, handle.schema());
                RowCursor cursor = rows.scan(Projection.KEYS, part, parts)) {
            long entries = 0;
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                sink.put(row.key(), row.rowId());
                entries++;
            }
            return entries;
        }
    }
}
