package io.loam.flink.operators;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads documents by row id: of uncommitted units from their data files, of all others from the
 * live version. A row never changes, so that an opened version serves until a row above its high
 * water is asked for, or until it can no longer be read.
 */
final class RowReader implements CurrentRows, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RowReader.class);

    private final CollectionHandle collection;
    private final UncommittedUnits uncommitted;
    @Nullable private RowSnapshot snapshot;
    private long highWater;

    RowReader(CollectionHandle collection, UncommittedUnits uncommitted) {
        this.collection = collection;
        this.uncommitted = uncommitted;
    }

    @Override
    public Map<PrimaryKey, Document> read(Map<PrimaryKey, Long> rows) throws IOException {
        Map<UncommittedUnit, List<Long>> byUnit = new HashMap<>();
        List<Long> committed = new ArrayList<>();
        for (long rowId : rows.values()) {
            uncommitted
                    .find(rowId)
                    .ifPresentOrElse(
                            unit -> byUnit.computeIfAbsent(unit, u -> new ArrayList<>()).add(rowId),
                            () -> committed.add(rowId));
        }
        Map<Long, StoredRow> found = new HashMap<>();
        for (Map.Entry<UncommittedUnit, List<Long>> entry : byUnit.entrySet()) {
            collect(found, takeStaged(entry.getKey(), entry.getValue()));
        }
        if (!committed.isEmpty()) {
            collect(found, takeFromLive(committed));
        }
        Map<PrimaryKey, Document> documents = new HashMap<>();
        rows.forEach((key, rowId) -> documents.put(key, document(key, rowId, found.get(rowId))));
        return documents;
    }

    private static void collect(Map<Long, StoredRow> found, List<StoredRow> rows) {
        rows.forEach(row -> found.put(row.rowId(), row));
    }

    /** A unit that was published long ago may have been compacted away; then its rows are live. */
    private List<StoredRow> takeStaged(UncommittedUnit unit, List<Long> rowIds) throws IOException {
        try {
            return takeFromUnit(unit, rowIds);
        } catch (IOException e) {
            if (!isPublished(unit, e)) {
                throw e;
            }
            return takeFromLive(rowIds);
        }
    }

    private boolean isPublished(UncommittedUnit unit, IOException unread) {
        try {
            prune();
            return uncommitted.find(unit.firstRowId()).isEmpty();
        } catch (IOException e) {
            unread.addSuppressed(e);
            return false;
        }
    }

    private List<StoredRow> takeFromUnit(UncommittedUnit unit, List<Long> rowIds)
            throws IOException {
        try (RowSnapshot file =
                collection
                        .rows()
                        .openFile(
                                unit.dataFile(),
                                unit.firstRowId(),
                                unit.rowCount(),
                                collection.schema())) {
            return file.take(ascending(rowIds), Projection.ALL);
        }
    }

    private List<StoredRow> takeFromLive(List<Long> rowIds) throws IOException {
        long[] ids = ascending(rowIds);
        boolean fresh =
                snapshot == null || Long.compareUnsigned(ids[ids.length - 1], highWater) >= 0;
        if (fresh) {
            openLive();
        }
        try {
            return snapshot.take(ids, Projection.ALL);
        } catch (IOException e) {
            if (fresh) {
                throw e;
            }
            LOG.info("the opened version can no longer be read, opening the live one", e);
            openLive();
            return snapshot.take(ids, Projection.ALL);
        }
    }

    private static long[] ascending(List<Long> rowIds) {
        return rowIds.stream().sorted(Long::compareUnsigned).mapToLong(Long::longValue).toArray();
    }

    private void openLive() throws IOException {
        LiveManifest live = collection.live();
        RowSnapshot opened = collection.rows().open(live.manifest(), collection.schema());
        close();
        snapshot = opened;
        highWater = live.manifest().rowIdHighWater();
        uncommitted.dropBelow(highWater);
    }

    /** Forgets uncommitted units that are published by now. */
    void prune() throws IOException {
        uncommitted.dropBelow(collection.live().manifest().rowIdHighWater());
    }

    private static Document document(PrimaryKey key, long rowId, @Nullable StoredRow row) {
        if (row == null) {
            throw new CorruptException(
                    "the key index says that key "
                            + key
                            + " is row "
                            + Long.toUnsignedString(rowId)
                            + ", which is absent; unless another writer published meanwhile, and a"
                            + " restart repairs the index, start the job without state");
        }
        if (!row.key().equals(key)) {
            throw new CorruptException(
                    "the key index says that key "
                            + key
                            + " is row "
                            + Long.toUnsignedString(rowId)
                            + ", which belongs to key "
                            + row.key());
        }
        return new Document(
                key, Json.parseObject(row.source()), row.vectors(), row.sparseVectors());
    }

    @Override
    public void close() throws IOException {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }
}
