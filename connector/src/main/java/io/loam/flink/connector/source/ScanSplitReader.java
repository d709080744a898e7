package io.loam.flink.connector.source;

import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;

import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Reads the rows of splits, one split after the other, and then changes. Used by one thread. */
final class ScanSplitReader implements SplitReader<ScannedRow, CollectionSplit> {
    private final CollectionOpener opener;
    private final Projection projection;
    private final ScanSettings settings;
    private final ScanReader.VersionListener versions;
    private final Deque<CollectionSplit> waiting = new ArrayDeque<>();
    private final WakeableTimer timer = new WakeableTimer();
    private @Nullable OpenedCollection collection;
    private @Nullable RowsReader rows;
    private @Nullable ChangesReader changes;

    ScanSplitReader(
            CollectionOpener opener,
            Projection projection,
            ScanSettings settings,
            ScanReader.VersionListener versions) {
        this.opener = opener;
        this.projection = projection;
        this.settings = settings;
        this.versions = versions;
    }

    @Override
    public RecordsWithSplitIds<ScannedRow> fetch() throws IOException {
        if (rows != null && rows.isReading()) {
            return rows.read();
        }
        CollectionSplit next = waiting.poll();
        if (next != null) {
            rows().start(next);
            return rows.read();
        }
        if (changes != null) {
            return changes.read();
        }
        return new RecordsBySplits.Builder<ScannedRow>().build();
    }

    private RowsReader rows() throws IOException {
        if (rows == null) {
            rows = new RowsReader(collection(), projection, settings);
        }
        return rows;
    }

    private CollectionHandle collection() throws IOException {
        if (collection == null) {
            collection = opener.open();
        }
        return collection.collection();
    }

    @Override
    public void handleSplitsChanges(SplitsChange<CollectionSplit> change) {
        for (CollectionSplit split : change.splits()) {
            if (!split.isChanges()) {
                waiting.add(split);
                continue;
            }
            if (changes == null) {
                changes =
                        new ChangesReader(
                                this::collection,
                                projection,
                                settings.discoveryMs(),
                                timer,
                                versions);
            }
            changes.add(split);
        }
    }

    @Override
    public void wakeUp() {
        timer.wakeUp();
    }

    @Override
    public void close() throws IOException {
        try (OpenedCollection first = collection;
                RowsReader second = rows;
                ChangesReader third = changes) {
            collection = null;
            rows = null;
            changes = null;
        }
    }
}
