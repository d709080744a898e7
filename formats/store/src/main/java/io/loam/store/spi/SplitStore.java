package io.loam.store.spi;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** The splits of one collection. May be used from any thread. */
public interface SplitStore extends AutoCloseable {
    /** Starts a split; {@code workDir} exists and belongs to the caller. */
    SplitBuilder newSplit(Ulid ulid, CollectionSchema schema, Path workDir) throws IOException;

    /**
     * Opens a split of a manifest. Everything native code will see is checked first. The deleted
     * documents are waited for only after the split's own object was read, so that both may travel
     * at once.
     *
     * @param current the collection's current schema; the split's own is recovered from it
     * @throws io.loam.codec.CorruptException if the object is not the split the manifest names
     */
    SplitReader openBeside(SplitRef split, CollectionSchema current, DeletedDocuments deleted)
            throws IOException;

    /** As {@link #openBeside}, with deleted document ids that are there already, null for none. */
    default SplitReader open(
            SplitRef split, CollectionSchema current, @Nullable RoaringBitmap deleted)
            throws IOException {
        return openBeside(split, current, () -> deleted);
    }

    /**
     * The schema a split was built with, as far as it matters to its documents' fields. Reads a
     * little of the split's object.
     *
     * @param current the collection's current schema, which the split's is recovered from
     * @throws io.loam.codec.CorruptException if the object is not the split the manifest names, or
     *     its fields are none that the collection ever had
     */
    CollectionSchema schemaOf(SplitRef split, CollectionSchema current) throws IOException;

    @Override
    void close() throws IOException;
}
