package io.loam.lance;

import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

import javax.annotation.Nullable;

import java.io.IOException;

/** Rows of an Arrow reader, batch by batch. */
final class BatchCursor implements RowCursor {
    private final ArrowReader reader;
    private final AutoCloseable owner;
    private final RowDecoder decoder;
    private final long firstRowId;
    private final boolean numbered;
    private long read;
    private int position;
    private int batchRows;

    private BatchCursor(
            ArrowReader reader,
            AutoCloseable owner,
            RowDecoder decoder,
            long firstRowId,
            boolean numbered) {
        this.reader = reader;
        this.owner = owner;
        this.decoder = decoder;
        this.firstRowId = firstRowId;
        this.numbered = numbered;
    }

    /** Row ids stand in the batches. */
    static BatchCursor withRowIds(ArrowReader reader, AutoCloseable owner, RowDecoder decoder) {
        return new BatchCursor(reader, owner, decoder, 0, false);
    }

    /** Row ids count from the first one. */
    static BatchCursor numbered(
            ArrowReader reader, AutoCloseable owner, RowDecoder decoder, long firstRowId) {
        return new BatchCursor(reader, owner, decoder, firstRowId, true);
    }

    @Override
    @Nullable
    public StoredRow next() throws IOException {
        while (position == batchRows) {
            if (!reader.loadNextBatch()) {
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
