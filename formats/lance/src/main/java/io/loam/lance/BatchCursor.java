package io.loam.lance;

import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.function.Function;

/** Rows of an Arrow reader, batch by batch. */
final class BatchCursor implements RowCursor {
    private final ArrowReader reader;
    private final AutoCloseable owner;
    private final RowDecoder decoder;
    private final long firstRowId;
    private final boolean numbered;
    private final Function<Exception, IOException> failure;
    private long read;
    private int position;
    private int batchRows;

    private BatchCursor(
            ArrowReader reader,
            AutoCloseable owner,
            RowDecoder decoder,
            long firstRowId,
            boolean numbered,
            Function<Exception, IOException> failure) {
        this.reader = reader;
        this.owner = owner;
        this.decoder = decoder;
        this.firstRowId = firstRowId;
        this.numbered = numbered;
        this.failure = failure;
    }

    /**
     * Row ids stand in the batches.
     *
     * @param failure says more of a failure of the reader's
     */
    static BatchCursor withRowIds(
            ArrowReader reader,
            AutoCloseable owner,
            RowDecoder decoder,
            Function<Exception, IOException> failure) {
        return new BatchCursor(reader, owner, decoder, 0, false, failure);
    }

    /** Row ids count from the first one. */
    static BatchCursor numbered(
            ArrowReader reader,
            RowDecoder decoder,
            long firstRowId,
            Function<Exception, IOException> failure) {
        return new BatchCursor(reader, () -> {}, decoder, firstRowId, true, failure);
    }

    @Override
    @Nullable
    public StoredRow next() throws IOException {
        while (position == batchRows) {
            if (!load()) {
                return null;
            }
            batchRows = reader.getVectorSchemaRoot().getRowCount();
            position = 0;
        }
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        long rowId =
                numbered
                        ? firstRowId + read
                        : ((UInt8Vector) root.getVector(LanceSchemas.ROW_ID)).get(position);
        read++;
        return decoder.row(root, position++, rowId);
    }

    private boolean load() throws IOException {
        try {
            return reader.loadNextBatch();
        } catch (IOException | RuntimeException e) {
            throw failure.apply(e);
        }
    }

    @Override
    public void close() throws IOException {
        try (AutoCloseable last = owner) {
            reader.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("could not close a scan", e);
        }
    }
}
