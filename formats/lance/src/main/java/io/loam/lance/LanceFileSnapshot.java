package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.lance.file.LanceFileReader;
import org.lance.util.Range;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The rows of a data file that no version names yet. */
final class LanceFileSnapshot implements RowSnapshot {
    private static final int BATCH = 4096;

    private final String file;
    private final LanceFileReader reader;
    private final BufferAllocator allocator;
    private final long firstRowId;
    private final long rows;
    private final CollectionSchema schema;
    private final Set<String> present;

    LanceFileSnapshot(
            String file,
            LanceFileReader reader,
            BufferAllocator allocator,
            long firstRowId,
            long rows,
            CollectionSchema schema) {
        this.file = file;
        this.reader = reader;
        this.allocator = allocator;
        this.firstRowId = firstRowId;
        this.rows = rows;
        this.schema = schema;
        this.present =
                reader.schema().getFields().stream()
                        .map(Field::getName)
                        .collect(Collectors.toSet());
    }

    @Override
    public long countRows() {
        return rows;
    }

    @Override
    public List<StoredRow> take(long[] rowIds, Projection projection) throws IOException {
        RowDecoder decoder = new RowDecoder(schema, projection);
        List<String> columns = decoder.columns(present);
        List<StoredRow> taken = new ArrayList<>();
        for (long rowId : rowIds) {
            long offset = rowId - firstRowId;
            if (Long.compareUnsigned(offset, rows) >= 0) {
                continue;
            }
            List<Range> one = List.of(new Range((int) offset, (int) offset + 1));
            try (ArrowReader batches = reader.readAll(columns, one, 1)) {
                while (batches.loadNextBatch()) {
                    VectorSchemaRoot root = batches.getVectorSchemaRoot();
                    for (int i = 0; i < root.getRowCount(); i++) {
                        taken.add(decoder.row(root, i, rowId));
                    }
                }
            } catch (CorruptException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                throw failure(e);
            }
        }
        return taken;
    }

    private IOException failure(Exception e) {
        return new IOException("could not read rows from " + file + ": " + e.getMessage(), e);
    }

    @Override
    public RowCursor scan(Projection projection, int part, int parts) throws IOException {
        if (part != 0) {
            return new EmptyCursor();
        }
        RowDecoder decoder = new RowDecoder(schema, projection);
        ArrowReader batches = reader.readAll(decoder.columns(present), null, BATCH);
        return BatchCursor.numbered(batches, decoder, firstRowId, this::failure);
    }

    @Override
    public RowCursor scanFile(Projection projection, int file) throws IOException {
        return file == 0 ? scan(projection, 0, 1) : new EmptyCursor();
    }

    @Override
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            Projection projection)
            throws IOException {
        return new ExactNearest(schema, vector, query, k, allowedRowIds).search(this, projection);
    }

    @Override
    public void close() throws IOException {
        try {
            reader.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("could not close a data file", e);
        } finally {
            allocator.close();
        }
    }
}
