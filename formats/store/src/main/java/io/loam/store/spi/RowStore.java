package io.loam.store.spi;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.schema.CollectionSchema;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The rows of one collection. May be used from any thread. */
public interface RowStore extends AutoCloseable {
    /** Makes version 1, the empty mainline dataset of the base columns, unless it is there. */
    void ensureDataset() throws IOException;

    /**
     * Starts a data file at a local path that must not exist, with every vector column of the
     * schema.
     */
    RowFileWriter newFile(Path file, CollectionSchema schema) throws IOException;

    /** Opens a version by the manifest's {@code lance_version}; 0 is the empty snapshot. */
    RowSnapshot open(long version, CollectionSchema schema) throws IOException;

    /**
     * Opens the row version of a manifest, and checks it against what the manifest says of it.
     *
     * @throws io.loam.codec.CorruptException naming the object that is damaged
     */
    default RowSnapshot open(CollectionManifest manifest, CollectionSchema schema)
            throws IOException {
        return open(manifest.lanceVersion(), schema);
    }

    /**
     * Numbers of the data files with live rows of a manifest's row version, in storage order. Reads
     * that version's own manifest and opens nothing.
     */
    List<Integer> files(CollectionManifest manifest) throws IOException;

    /**
     * Opens an uploaded data file that no version names yet; row i has id {@code firstRowId + i}
     * and nothing is deleted.
     */
    RowSnapshot openFile(String dataFile, long firstRowId, long rows, CollectionSchema schema)
            throws IOException;

    /**
     * Builds the files of an index over fragments of a manifest's row version, in the place where
     * versions expect them. No version changes.
     *
     * @throws TooFewRowsException if there is nothing to index, or to train by
     */
    default BuiltIndex buildIndex(
            CollectionManifest manifest, CollectionSchema schema, IndexRequest request)
            throws IOException {
        throw new IOException("rows of this kind cannot be indexed");
    }

    /**
     * Hands out every value in a file of the dataset, of deleted rows, too, as nothing but the file
     * tells of them. Nothing is handed out of files that hold no values in a form of their own.
     *
     * @param file path under the dataset's root
     * @throws io.loam.codec.CorruptException if the file cannot be read
     */
    default void decode(String file, DecodedValues into) throws IOException {}

    @Override
    void close() throws IOException;
}
