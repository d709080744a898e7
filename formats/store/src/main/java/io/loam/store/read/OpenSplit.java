package io.loam.store.read;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.object.ParallelIo;
import io.loam.store.object.ParallelIo.Awaited;
import io.loam.store.spi.SplitReader;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;

/** A split of a version, opened at its first use. */
final class OpenSplit implements AutoCloseable {
    private final CollectionHandle handle;
    private final SplitRef split;
    private final ParallelIo bitmaps;
    private @Nullable Awaited<RoaringBitmap> deleted;
    private @Nullable SplitReader reader;

    /**
     * @param bitmaps reads delete bitmaps; must not be what opens splits, as those wait for it
     */
    OpenSplit(CollectionHandle handle, SplitRef split, ParallelIo bitmaps) {
        this.handle = handle;
        this.split = split;
        this.bitmaps = bitmaps;
    }

    synchronized SplitReader reader() throws IOException {
        if (reader == null) {
            Awaited<RoaringBitmap> coming = startDeleted();
            reader = handle.splits().openBeside(split, handle.schema(), coming::get);
        }
        return reader;
    }

    Ulid ulid() {
        return split.ulid();
    }

    synchronized boolean isOpen() {
        return reader != null;
    }

    synchronized RoaringBitmap deleted() throws IOException {
        return startDeleted().get();
    }

    /**
     * @param position of this split in the manifest that the locator was made of
     */
    long rowId(RowLocator locator, int position, int doc) {
        long number = Integer.toUnsignedLong(doc);
        return locator.rowId(position, number)
                .orElseThrow(
                        () ->
                                new CorruptException(
                                        "split " + split.ulid() + " has no document " + number));
    }

    /** The row of a document of which nothing but the key is wanted. */
    StoredRow keyOnly(long rowId, byte[] canonicalKey) {
        try {
            return new StoredRow(
                    rowId, PrimaryKey.parseCanonical(canonicalKey), null, 0, 0, null, null);
        } catch (InvalidKeyException e) {
            throw new CorruptException(
                    "split " + split.ulid() + ": a document's _pk is no key: " + e.getMessage(), e);
        }
    }

    private Awaited<RoaringBitmap> startDeleted() {
        if (deleted == null) {
            deleted = bitmaps.start(split, ref -> DeletedDocs.load(handle.objects(), ref));
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
