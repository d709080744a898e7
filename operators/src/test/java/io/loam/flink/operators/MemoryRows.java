package io.loam.flink.operators;

import io.loam.codec.json.Json;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.record.RecordCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.staged.UnitColumn;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowFileWriter;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.RowStore;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Rows as encoded records in plain files; versions are maps that a test sets. */
final class MemoryRows implements RowStore {
    final Map<Long, TreeMap<Long, StoredRow>> versions = new ConcurrentHashMap<>();
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger filesOpened = new AtomicInteger();
    private final ObjectStore objects;
    private final String dataset;

    MemoryRows(ObjectStore objects, String dataset) {
        this.objects = objects;
        this.dataset = dataset;
    }

    static StoredRow row(long rowId, Document document) {
        return new StoredRow(
                rowId,
                document.key(),
                Json.print(document.source()),
                0,
                0,
                document.vectors(),
                document.sparseVectors());
    }

    @Override
    public void ensureDataset() {}

    @Override
    public RowFileWriter newFile(Path file, CollectionSchema schema) {
        return new FileWriter(file);
    }

    @Override
    public RowSnapshot open(long version, CollectionSchema schema) {
        opened.incrementAndGet();
        return new Snapshot(version == 0 ? new TreeMap<>() : versions.get(version));
    }

    @Override
    public List<Integer> files(CollectionManifest manifest) {
        throw new UnsupportedOperationException("not needed here");
    }

    @Override
    public RowSnapshot openFile(
            String dataFile, long firstRowId, long rows, CollectionSchema schema)
            throws IOException {
        filesOpened.incrementAndGet();
        TreeMap<Long, StoredRow> byId = new TreeMap<>();
        rows(dataFile, firstRowId).forEach(row -> byId.put(row.rowId(), row));
        if (byId.size() != rows) {
            throw new IOException(dataFile + " has " + byId.size() + " rows, not " + rows);
        }
        return new Snapshot(byId);
    }

    /** The documents of an uploaded data file. */
    List<Document> documents(String dataFile) throws IOException {
        return rows(dataFile, 0).stream()
                .map(
                        row ->
                                new Document(
                                        row.key(),
                                        Json.parseObject(row.source()),
                                        row.vectors(),
                                        row.sparseVectors()))
                .toList();
    }

    /** The rows of an uploaded data file. */
    List<StoredRow> rows(String dataFile, long firstRowId) throws IOException {
        DataInputStream in =
                new DataInputStream(
                        new ByteArrayInputStream(objects.get(dataset + "/data/" + dataFile)));
        List<StoredRow> rows = new ArrayList<>();
        while (in.available() > 0) {
            int partition = in.readInt();
            long offset = in.readLong();
            byte[] key = in.readNBytes(in.readInt());
            byte[] value = in.readNBytes(in.readInt());
            Document document = ((Operation.Upsert) RecordCodec.decode(key, value)).document();
            rows.add(
                    new StoredRow(
                            firstRowId + rows.size(),
                            document.key(),
                            Json.print(document.source()),
                            partition,
                            offset,
                            document.vectors(),
                            document.sparseVectors()));
        }
        return rows;
    }

    @Override
    public void close() {}

    private static final class FileWriter implements RowFileWriter {
        private final Path file;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private long rows;

        FileWriter(Path file) {
            this.file = file;
        }

        @Override
        public void append(Row row) throws IOException {
            DataOutputStream out = new DataOutputStream(bytes);
            byte[] key = row.document().key().canonical();
            byte[] value = RecordCodec.encode(new Operation.Upsert(row.document()));
            out.writeInt(row.ingestPartition());
            out.writeLong(row.ingestOffset());
            out.writeInt(key.length);
            out.write(key);
            out.writeInt(value.length);
            out.write(value);
            rows++;
        }

        @Override
        public Written finish() throws IOException {
            Files.write(file, bytes.toByteArray());
            return new Written(rows, bytes.size(), List.of(new UnitColumn("_vector_0", 2)));
        }

        @Override
        public void close() {}
    }

    private static final class Snapshot implements RowSnapshot {
        private final TreeMap<Long, StoredRow> rows;

        Snapshot(TreeMap<Long, StoredRow> rows) {
            this.rows = rows;
        }

        @Override
        public long countRows() {
            return rows.size();
        }

        @Override
        public List<StoredRow> take(long[] rowIds, Projection projection) {
            List<StoredRow> found = new ArrayList<>();
            for (long rowId : rowIds) {
                StoredRow row = rows.get(rowId);
                if (row != null) {
                    found.add(row);
                }
            }
            return found;
        }

        @Override
        public RowCursor scan(Projection projection, int part, int parts) {
            List<StoredRow> share = new ArrayList<>();
            int at = 0;
            for (StoredRow row : rows.values()) {
                if (at++ % parts == part) {
                    share.add(row);
                }
            }
            Iterator<StoredRow> iterator = share.iterator();
            return new RowCursor() {
                @Override
                @Nullable
                public StoredRow next() {
                    return iterator.hasNext() ? iterator.next() : null;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public RowCursor scanFile(Projection projection, int file) {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public List<ScoredRow> nearest(
                String vector,
                float[] query,
                int k,
                @Nullable long[] allowedRowIds,
                Projection projection) {
            throw new UnsupportedOperationException("not needed here");
        }

        @Override
        public void close() {}
    }
}
