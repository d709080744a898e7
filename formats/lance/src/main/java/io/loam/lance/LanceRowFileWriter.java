package io.loam.lance;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowFileWriter;

import org.apache.arrow.memory.BufferAllocator;
import org.lance.file.LanceFileWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Writes one Lance data file of format 2.1 on local disk. */
final class LanceRowFileWriter implements RowFileWriter {
    private static final Logger LOG = LoggerFactory.getLogger(LanceRowFileWriter.class);

    private static final String FORMAT = "2.1";

    private final Path file;
    private final CollectionSchema schema;
    private final BufferAllocator allocator;
    private final RowBatch batch;
    @Nullable private LanceFileWriter writer;
    private long rows;
    private boolean writerClosed;
    private boolean closed;

    LanceRowFileWriter(Path file, CollectionSchema schema, BufferAllocator allocator) {
        this.file = file;
        this.schema = schema;
        this.allocator = allocator;
        this.batch = new RowBatch(schema, allocator);
    }

    @Override
    public void append(Row row) throws IOException {
        batch.add(row);
        rows++;
        if (batch.full()) {
            write();
        }
    }

    private void write() throws IOException {
        if (batch.rows() == 0) {
            return;
        }
        batch.seal();
        if (writer == null) {
            // Not before the first batch: Lance cannot close a file it has written nothing to.
            writer =
                    LanceFileWriter.open(
                            file.toString(), allocator, null, Optional.of(FORMAT), Map.of());
        }
        writer.write(batch.root());
        batch.clear();
    }

    @Override
    public Written finish() throws IOException {
        if (rows == 0) {
            throw new IllegalStateException("a data file has at least one row");
        }
        write();
        closeWriter();
        return new Written(rows, Files.size(file), VectorColumns.of(schema));
    }

    private void closeWriter() throws IOException {
        if (writer != null && !writerClosed) {
            writerClosed = true;
            try {
                writer.close();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("could not finish " + file, e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (allocator;
                batch) {
            abandon();
        }
    }

    /** Lance refuses to close a file that got no rows yet; an abandoned file may be as it is. */
    private void abandon() {
        try {
            closeWriter();
        } catch (IOException | RuntimeException e) {
            LOG.debug("abandoned {}", file, e);
        }
    }
}
