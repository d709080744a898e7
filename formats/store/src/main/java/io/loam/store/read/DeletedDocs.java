package io.loam.store.read;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.object.ObjectStore;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;

/** Loads the deleted documents of a split as a manifest names them. */
public final class DeletedDocs {
    private DeletedDocs() {}

    /**
     * Empty without a bitmap.
     *
     * @throws CorruptException if the bitmap is of another split or does not have the manifest's
     *     count
     */
    public static RoaringBitmap load(ObjectStore objects, SplitRef split) throws IOException {
        String path = split.deleteBitmap();
        RoaringBitmap deleted =
                path.isEmpty()
                        ? new RoaringBitmap()
                        : DeleteBitmapCodec.decode(objects.get(path), path, split).deleted();
        if (deleted.getLongCardinality() != split.deletedCount()) {
            throw new CorruptException(
                    (path.isEmpty() ? "split " + split.ulid() + " without a bitmap" : path)
                            + ": "
                            + deleted.getLongCardinality()
                            + " deleted documents, expected "
                            + split.deletedCount());
        }
        return deleted;
    }
}
