package io.loam.store.spi;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;

import org.roaringbitmap.RoaringBitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The splits of one collection. May be used from any thread. */
public interface SplitStore extends AutoCloseable {
    /** Starts a split; {@code workDir} exists and belongs to the caller. */
    SplitBuilder newSplit(Ulid ulid, CollectionSchema schema, Path workDir) throws IOException;

    /**
     * Makes one split of several without indexing anything anew, and compares it with what it must
     * be.
     *
     * @param ulid of the new split
     * @param inputs without deleted documents and of the same fields, in ascending row id, each
     *     after the other; their documents get ids in this order
     * @param sample some of their documents with the ids they must have in the new split
     * @param workDir exists and belongs to the caller, who deletes it
     * @return empty if splits cannot be joined here
     * @throws IOException also if what came out is not the split that indexing would have built
     */
    default Optional<SplitBuilder.Built> join(
            Ulid ulid,
            List<SplitRef> inputs,
            List<KnownDocument> sample,
            CollectionSchema current,
            Path workDir)
            throws IOException {
        return Optional.empty();
    }

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

    /**
     * Deletes local copies of splits that nobody has open.
     *
     * @param named splits whose copies may stay
     */
    default void evictOthers(Set<Ulid> named) throws IOException {}

    /**
     * Hands out every value in a split that its bytes hold in a form of their own: keys, terms,
     * stored fields; of deleted documents, too.
     *
     * @param path of the object
     * @throws io.loam.codec.CorruptException if the object cannot be read
     */
    default void decode(String path, DecodedValues into) throws IOException {}

    @Override
    void close() throws IOException;
}
