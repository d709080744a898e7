package io.loam.flink.connector.source;

import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.StoredRow;

import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Reads the rows of splits, one split after the other. Used by one thread. */
final class ScanSplitReader implements SplitReader<StoredRow, CollectionSplit> {
    private static final int ROWS_AT_ONCE = 512;

    private final CollectionOpener opener;
    private final Projection projection;
    private final long limit;
    private final Deque<CollectionSplit> waiting = new ArrayDeque<>();
    private @Nullable OpenedCollection collection;
    private @Nullable CollectionReader reader;
    private @Nullable CollectionSplit current;
    private @Nullable RowCursor cursor;
    private long read;

    /**
     * @param limit rows after which no more are needed of this reader
     */
    ScanSplitReader(CollectionOpener opener, Projection projection, long limit) {
        this.opener = opener;
        this.projection = projection;
        this.limit = limit;
    }

    @Override
    public RecordsWithSplitIds<StoredRow> fetch() throws IOException {
        RecordsBySplits.Builder<StoredRow> rows = new RecordsBySplits.Builder<>();
        if (cursor == null && !openNext()) {
            return rows.build();
        }
        String split = current.splitId();
        for (int i = 0; i < ROWS_AT_ONCE; i++) {
            StoredRow row = read < limit ? cursor.next() : null;
            if (row == null) {
                closeSplit();
                rows.addFinishedSplit(split);
                break;
            }
            read++;
            rows.add(split, row);
        }
        return rows.build();
    }

    private boolean openNext() throws IOException {
        CollectionSplit next = waiting.poll();
        if (next == null) {
            return false;
        }
        current = next;
        cursor = reader(next.version()).rows().scan(projection, next.part(), next.parts());
        for (long skipped = 0; skipped < next.emitted(); skipped++) {
            if (cursor.next() == null) {
                throw new IOException(
                        "split "
                                + next.splitId()
                                + " has "
                                + skipped
                                + " rows, but "
                                + next.emitted()
                                + " were emitted before");
            }
        }
        return true;
    }

    private CollectionReader reader(long version) throws IOException {
        if (collection == null) {
            collection = opener.open();
        }
        if (reader == null || reader.manifest().version() != version) {
            closeReader();
            reader = CollectionReader.open(collection.collection(), version);
        }
        return reader;
    }

    @Override
    public void handleSplitsChanges(SplitsChange<CollectionSplit> changes) {
        waiting.addAll(changes.splits());
    }

    @Override
    public void wakeUp() {}

    private void closeSplit() throws IOException {
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
        try (OpenedCollection closing = collection) {
            closeSplit();
            closeReader();
        }
    }
}
