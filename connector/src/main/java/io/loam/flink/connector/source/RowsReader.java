package io.loam.flink.connector.source;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.flink.connector.source.CollectionSplit.Kind;
import io.loam.store.CollectionHandle;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.types.RowKind;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads the rows of one split after the other. */
final class RowsReader implements AutoCloseable {
    private static final int ROWS_AT_ONCE = 512;

    private final CollectionHandle collection;
    private final Projection projection;
    private final ScanSettings settings;
    private @Nullable CollectionReader reader;
    private @Nullable CollectionSplit current;
    private @Nullable RowCursor cursor;
    private long read;

    RowsReader(CollectionHandle collection, Projection projection, ScanSettings settings) {
        this.collection = collection;
        this.projection = projection;
        this.settings = settings;
    }

    boolean isReading() {
        return current != null;
    }

    void start(CollectionSplit split) throws IOException {
        current = split;
        if (split.kind() == Kind.COUNT) {
            return;
        }
        cursor = open(split, reader(split.version()));
        for (long skipped = 0; skipped < split.emitted(); skipped++) {
            if (cursor.next() == null) {
                throw new IOException(
                        "split "
                                + split.splitId()
                                + " has "
                                + skipped
                                + " rows, but "
                                + split.emitted()
                                + " were emitted before");
            }
        }
    }

    private RowCursor open(CollectionSplit split, CollectionReader version) throws IOException {
        switch (split.kind()) {
            case FILE:
                return version.rows().scanFile(projection, (int) split.number());
            case KEYS:
                return new ListCursor(ofKeys(version).iterator());
            case MATCHES:
                int index = (int) split.number();
                SplitRef indexed = version.manifest().splits().get(index);
                long[] ids =
                        version.rowsMatching(
                                index,
                                new FilterQuery(collection.schema(), indexed)
                                        .of(settings.filter()));
                return new TakeCursor(version.rows(), ids, projection);
            default:
                throw new IllegalStateException("no rows in " + split);
        }
    }

    private List<StoredRow> ofKeys(CollectionReader version) throws IOException {
        List<StoredRow> found = new ArrayList<>();
        for (byte[] key : settings.keys()) {
            version.get(PrimaryKey.parseCanonical(key), projection).ifPresent(found::add);
        }
        return found;
    }

    /** Some rows of the split, and that it is finished after its last. */
    RecordsWithSplitIds<ScannedRow> read() throws IOException {
        RecordsBySplits.Builder<ScannedRow> rows = new RecordsBySplits.Builder<>();
        String split = current.splitId();
        if (current.kind() == Kind.COUNT) {
            if (current.emitted() == 0) {
                rows.add(
                        split,
                        new ScannedRow(RowKind.INSERT, null, current.version(), current.number()));
            }
            finish();
            rows.addFinishedSplit(split);
            return rows.build();
        }
        for (int i = 0; i < ROWS_AT_ONCE; i++) {
            StoredRow row = read < settings.limit() ? cursor.next() : null;
            if (row == null) {
                finish();
                rows.addFinishedSplit(split);
                break;
            }
            read++;
            rows.add(split, ScannedRow.of(row, current.version()));
        }
        return rows.build();
    }

    private CollectionReader reader(long version) throws IOException {
        if (reader == null || reader.manifest().version() != version) {
            closeReader();
            reader = CollectionReader.open(collection, version);
        }
        return reader;
    }

    private void finish() throws IOException {
        try (RowCursor closing = cursor) {
            cursor = null;
            current = null;
        }
    }

    private void closeReader() throws IOException {
        try (CollectionReader closing = reader) {
            reader = null;
        }
    }

    @Override
    public void close() throws IOException {
        finish();
        closeReader();
    }
}
