package io.loam.store.spi;

import io.loam.codec.record.Document;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Builds one split on local disk; documents get ids in the order they are added. Not thread-safe.
 */
public interface SplitBuilder extends AutoCloseable {
    /** The finished split: a local file with its trailer, ready to upload. */
    record Built(Path file, long docCount, long bytes, long footerStart, int footerCrc32c) {}

    /** Adds a document; row ids ascend. Malformed values must have been refused before. */
    void add(long rowId, Document document) throws IOException;

    /** Adds a document of a row that is gone: it has no content, and nobody will find it. */
    void addPlaceholder(long rowId) throws IOException;

    Built finish() throws IOException;

    /** Deletes the working files, the finished split included. */
    @Override
    void close() throws IOException;
}
