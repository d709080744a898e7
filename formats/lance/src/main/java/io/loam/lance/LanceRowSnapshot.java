package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.IndexNames;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.lance.Dataset;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.ScanOptions;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The rows of one Lance version. */
final class LanceRowSnapshot implements RowSnapshot {
    private static final int SCAN_BATCH = 4096;

    private final Dataset dataset;
    private final VersionFiles files;
    private final BufferAllocator allocator;
    private final CollectionSchema schema;
    private final Set<String> present;

    LanceRowSnapshot(
            Dataset dataset,
            VersionFiles files,
            BufferAllocator allocator,
            CollectionSchema schema) {
        this.dataset = dataset;
        this.files = files;
        this.allocator = allocator;
        this.schema = schema;
        this.present =
                dataset.getSchema().getFields().stream()
                        .map(Field::getName)
                        .collect(Collectors.toSet());
    }

    @Override
    public long countRows() {
        return dataset.countRows();
    }

    @Override
    public List<StoredRow> take(long[] rowIds, Projection projection) throws IOException {
        if (rowIds.length == 0) {
            return List.of();
        }
        RowDecoder decoder = new RowDecoder(schema, projection);
        List<String> columns = decoder.columns(present);
        columns.add(LanceSchemas.ROW_ID);
        List<Long> ids = Arrays.stream(rowIds).boxed().collect(Collectors.toList());
        Map<Long, StoredRow> found = new HashMap<>();
        Set<String> touched = files.ofRows(rowIds);
        files.require(touched);
        try (ArrowReader reader = dataset.takeRows(ids, columns)) {
            while (reader.loadNextBatch()) {
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                UInt8Vector rowId = (UInt8Vector) root.getVector(LanceSchemas.ROW_ID);
                for (int i = 0; i < root.getRowCount(); i++) {
                    found.put(rowId.get(i), decoder.row(root, i, rowId.get(i)));
                }
            }
        } catch (CorruptException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw files.failure(touched, e);
        }
        List<StoredRow> rows = new ArrayList<>(found.size());
        for (long rowId : rowIds) {
            StoredRow row = found.get(rowId);
            if (row != null) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** Rows that the index does not cover are read. */
    @Override
    @Nullable
    public long[] rowsOfKey(PrimaryKey key) throws IOException {
        if (!files.isIndexed(IndexNames.KEYS)) {
            return null;
        }
        files.requireIndex(IndexNames.KEYS);
        ScanOptions options =
                new ScanOptions.Builder()
                        .columns(List.of(LanceSchemas.PK))
                        .filter("_pk = X'" + HexFormat.of().formatHex(key.canonical()) + "'")
                        .withRowId(true)
                        .build();
        return IndexScan.rowIds(dataset, options, files, IndexNames.KEYS);
    }

    @Override
    public RowCursor scan(Projection projection, int part, int parts) throws IOException {
        List<Integer> fragments =
                dataset.getFragments().stream()
                        .map(fragment -> fragment.getId())
                        .filter(id -> Integer.remainderUnsigned(id, parts) == part)
                        .collect(Collectors.toList());
        return scan(projection, fragments);
    }

    @Override
    public RowCursor scanFile(Projection projection, int file) throws IOException {
        boolean known =
                dataset.getFragments().stream().anyMatch(fragment -> fragment.getId() == file);
        return scan(projection, known ? List.of(file) : List.of());
    }

    private RowCursor scan(Projection projection, List<Integer> fragments) throws IOException {
        if (fragments.isEmpty()) {
            return new EmptyCursor();
        }
        Set<String> touched = files.ofFragments(fragments);
        files.require(touched);
        RowDecoder decoder = new RowDecoder(schema, projection);
        try {
            LanceScanner scanner =
                    dataset.newScan(
                            new ScanOptions.Builder()
                                    .columns(decoder.columns(present))
                                    .fragmentIds(fragments)
                                    .batchSize(SCAN_BATCH)
                                    .withRowId(true)
                                    .build());
            return BatchCursor.withRowIds(
                    scanner.scanBatches(), scanner, decoder, e -> files.failure(touched, e));
        } catch (Exception e) { // native code throws checked ones undeclared
            throw files.failure(touched, e);
        }
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
    public List<ScoredRow> nearest(
            String vector,
            float[] query,
            int k,
            @Nullable long[] allowedRowIds,
            SearchEffort effort,
            Projection projection)
            throws IOException {
        if (effort.exact()) {
            return nearest(vector, query, k, allowedRowIds, projection);
        }
        IndexedNearest index = new IndexedNearest(dataset, files, schema);
        long[] candidates =
                allowedRowIds == null
                        ? index.candidates(vector, query, k, effort)
                        : index.candidates(vector, query, k, allowedRowIds, effort);
        if (candidates.length >= k) {
            List<ScoredRow> found = nearest(vector, query, k, candidates, projection);
            if (found.size() == k) {
                return found;
            }
            // A segment still has rows that were deleted before their fragment was compacted.
        }
        return nearest(vector, query, k, allowedRowIds, projection);
    }

    @Override
    public void close() {
        dataset.close();
        allocator.close();
    }
}
