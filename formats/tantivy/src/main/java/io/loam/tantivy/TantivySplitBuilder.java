package io.loam.tantivy;

import io.loam.codec.Ulid;
import io.loam.codec.record.Document;
import io.loam.store.LocalFiles;
import io.loam.store.spi.SplitBuilder;

import io.indextables.tantivy4java.core.Index;
import io.indextables.tantivy4java.core.IndexWriter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Indexes documents into one Tantivy segment and bundles it as a split. Documents go to native code
 * in batches of some MiB; Tantivy keeps the open segment's postings in native memory, so a split is
 * to stay near the size of a unit.
 */
final class TantivySplitBuilder implements SplitBuilder {
    private static final int BATCH_BYTES = 4 << 20;

    /**
     * Taken as needed. With less, Tantivy cuts segments, which would lose the order of documents.
     */
    private static final int WRITER_BYTES = 2_000_000_000;

    private final Path indexDirectory;
    private final Path split;
    private final Path converted;
    private final DocumentBatch batch = new DocumentBatch();
    private final DocumentEncoder encoder;
    private final Index index;
    private final IndexWriter writer;

    private long documents;
    private long lastRowId;
    private boolean writerClosed;

    TantivySplitBuilder(Ulid ulid, TantivyLayout layout, Path workDirectory) throws IOException {
        this.indexDirectory = workDirectory.resolve(ulid + ".index");
        this.split = workDirectory.resolve(ulid + ".split");
        this.converted = workDirectory.resolve(ulid + ".converted.split");
        this.encoder = new DocumentEncoder(layout, batch);
        Files.createDirectory(indexDirectory);
        Files.write(indexDirectory.resolve(IndexMeta.FILE), IndexMeta.empty(layout));
        Files.write(
                indexDirectory.resolve(IndexMeta.MANAGED_FILE),
                IndexMeta.managed(List.of(IndexMeta.FILE)));
        try {
            this.index = Index.open(indexDirectory.toString());
            this.writer = index.writer(WRITER_BYTES, 1);
        } catch (RuntimeException e) {
            LocalFiles.delete(indexDirectory);
            throw new IOException("cannot start a split in " + workDirectory, e);
        }
    }

    @Override
    public void add(long rowId, Document document) throws IOException {
        requireAscending(rowId);
        encoder.add(rowId, document);
        added(rowId);
    }

    @Override
    public void addPlaceholder(long rowId) throws IOException {
        requireAscending(rowId);
        encoder.addPlaceholder(rowId);
        added(rowId);
    }

    private void requireAscending(long rowId) {
        if (documents > 0 && Long.compareUnsigned(rowId, lastRowId) <= 0) {
            throw new IllegalArgumentException(
                    "row ids of a split ascend, "
                            + Long.toUnsignedString(rowId)
                            + " follows "
                            + Long.toUnsignedString(lastRowId));
        }
    }

    private void added(long rowId) throws IOException {
        documents++;
        lastRowId = rowId;
        if (batch.bytes() >= BATCH_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        if (batch.documents() == 0) {
            return;
        }
        try {
            writer.addDocumentsByBuffer(batch.finish());
        } catch (RuntimeException e) {
            throw new IOException("cannot index documents into " + split, e);
        }
        batch.clear();
    }

    @Override
    public Built finish() throws IOException {
        if (documents == 0) {
            throw new IllegalStateException("a split holds at least one document");
        }
        flush();
        try {
            writer.commit();
            closeWriter();
            return SplitBundle.of(indexDirectory, checkedMeta(), converted, split);
        } catch (RuntimeException e) {
            throw new IOException("cannot finish the split " + split, e);
        } finally {
            LocalFiles.delete(indexDirectory);
        }
    }

    private IndexMeta checkedMeta() throws IOException {
        byte[] bytes = Files.readAllBytes(indexDirectory.resolve(IndexMeta.FILE));
        IndexMeta meta = IndexMeta.parse(split.toString(), bytes);
        if (meta.docCount() != documents) {
            throw new IOException(
                    "the split "
                            + split
                            + " has "
                            + meta.docCount()
                            + " documents, but "
                            + documents
                            + " were added");
        }
        return meta;
    }

    private void closeWriter() {
        if (!writerClosed) {
            writerClosed = true;
            writer.close();
            index.close();
        }
    }

    @Override
    public void close() throws IOException {
        closeWriter();
        LocalFiles.delete(indexDirectory);
        Files.deleteIfExists(converted);
        Files.deleteIfExists(split);
    }
}
