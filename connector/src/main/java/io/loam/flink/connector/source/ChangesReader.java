package io.loam.flink.connector.source;

import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;

import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads shares of the changes by turns, and waits when no share has any. */
final class ChangesReader implements AutoCloseable {
    /** Opens the collection when it is first needed. */
    @FunctionalInterface
    interface Opening {
        CollectionHandle get() throws IOException;
    }

    private final Opening collection;
    private final Projection projection;
    private final long discoveryMs;
    private final WakeableTimer timer;
    private final ScanReader.VersionListener versions;
    private final List<ChangeFeed> feeds = new ArrayList<>();
    private int turn;

    /** How many feeds one after the other had nothing new. */
    private int quiet;

    ChangesReader(
            Opening collection,
            Projection projection,
            long discoveryMs,
            WakeableTimer timer,
            ScanReader.VersionListener versions) {
        this.collection = collection;
        this.projection = projection;
        this.discoveryMs = discoveryMs;
        this.timer = timer;
        this.versions = versions;
    }

    void add(CollectionSplit split) {
        feeds.add(new ChangeFeed(collection, projection, split));
        quiet = 0;
    }

    RecordsWithSplitIds<ScannedRow> read() throws IOException {
        if (quiet >= feeds.size()) {
            quiet = 0;
            timer.await(discoveryMs);
        }
        ChangeFeed feed = feeds.get(turn++ % feeds.size());
        ChangeFeed.Batch batch = feed.read();
        quiet = batch.isNothing() ? quiet + 1 : 0;
        return new Records(feed.id(), batch);
    }

    /** Tells that a version is done when its rows have been emitted, if there were any. */
    private final class Records extends RecordsBySplits<ScannedRow> {
        private final String split;
        private final ChangeFeed.Batch batch;

        Records(String split, ChangeFeed.Batch batch) {
            super(batch.rows().isEmpty() ? Map.of() : Map.of(split, batch.rows()), Set.of());
            this.split = split;
            this.batch = batch;
        }

        @Override
        public void recycle() {
            if (batch.done() != null) {
                versions.done(split, batch.done());
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (ChangeFeed feed : feeds) {
            feed.close();
        }
    }
}
