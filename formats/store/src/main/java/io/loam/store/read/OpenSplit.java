package io.loam.store.read;

import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.SplitReader;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;

/** A split of a version, opened at its first use. */
final class OpenSplit implements AutoCloseable {
    private final CollectionHandle handle;
    private final SplitRef split;
    private @Nullable RoaringBitmap deleted;
    private @Nullable SplitReader reader;

    OpenSplit(CollectionHandle handle, SplitRef split) {
        this.handle = handle;
        this.split = split;
    }

    synchronized SplitReader reader() throws IOException {
        if (reader == null) {
            RoaringBitmap gone = deleted();
            reader = handle.splits().open(split, handle.schema(), gone.isEmpty() ? null : gone);
        }
        return reader;
    }

    synchronized RoaringBitmap deleted() throws IOException {
        if (deleted == null) {
            deleted = DeletedDocs.load(handle.objects(), split);
        }
        return deleted;
    }

    @Override
    public synchronized void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
