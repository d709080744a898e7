package io.loam.store.read;

import io.loam.codec.key.Partitioner;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what changed from one version to another: each key whose row is another one, or that has
 * one in one version only, once. New rows come in the order of their ids, then keys that have no
 * row any more; two readers of the same versions and share read the same in the same order. Keeps
 * the keys of the rows that are gone in memory, and nothing of those that are new.
 */
public final class ChangeReader implements AutoCloseable {
    private static final int ROWS_AT_ONCE = 512;

    /** A key's row before and after; one of them may be null. */
    public record Change(@Nullable StoredRow before, @Nullable StoredRow after) {}

    private final Projection projection;
    private final int part;
    private final int parts;
    @Nullable private final RowSnapshot before;
    @Nullable private final RowSnapshot after;
    private final LongIterator added;
    private final Map<PrimaryKey, Long> gone = new LinkedHashMap<>();
    private final Deque<Change> ready = new ArrayDeque<>();

    private ChangeReader(
            CollectionHandle handle,
            CollectionManifest from,
            CollectionManifest to,
            Projection projection,
            int part,
            int parts)
            throws IOException {
        this.projection = projection;
        this.part = part;
        this.parts = parts;
        RowDifference difference = RowDifference.between(handle.objects(), from, to);
        this.before = open(handle, from, difference.gone());
        this.after = open(handle, to, difference.added());
        this.added = difference.added().getLongIterator();
        try {
            readKeys(difference.gone().getLongIterator());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Opens a share of the changes between two versions.
     *
     * @param part from 0; a key is always in the same of {@code parts} shares
     */
    public static ChangeReader open(
            CollectionHandle handle,
            CollectionManifest from,
            CollectionManifest to,
            Projection projection,
            int part,
            int parts)
            throws IOException {
        return new ChangeReader(handle, from, to, projection, part, parts);
    }

    @Nullable
    private static RowSnapshot open(
            CollectionHandle handle, CollectionManifest manifest, Roaring64Bitmap rows)
            throws IOException {
        return rows.isEmpty() ? null : handle.rows().open(manifest, handle.schema());
    }

    private void readKeys(LongIterator ids) throws IOException {
        while (ids.hasNext()) {
            for (StoredRow row : take(before, chunk(ids), Projection.KEYS)) {
                if (isShared(row)) {
                    gone.put(row.key(), row.rowId());
                }
            }
        }
    }

    private boolean isShared(StoredRow row) {
        return parts == 1 || Partitioner.partitionOf(row.key(), parts) == part;
    }

    private static long[] chunk(LongIterator ids) {
        long[] chunk = new long[ROWS_AT_ONCE];
        int size = 0;
        while (size < chunk.length && ids.hasNext()) {
            chunk[size++] = ids.next();
        }
        return size == chunk.length ? chunk : Arrays.copyOf(chunk, size);
    }

    /** A side that none of the ids is of need not be open. */
    private static List<StoredRow> take(
            @Nullable RowSnapshot rows, long[] ids, Projection projection) throws IOException {
        return ids.length == 0 ? List.of() : rows.takeAll(ids, projection);
    }

    /** The next change, or null at the end. */
    @Nullable
    public Change next() throws IOException {
        while (ready.isEmpty()) {
            if (added.hasNext()) {
                readAdded();
            } else if (!gone.isEmpty()) {
                readGone();
            } else {
                return null;
            }
        }
        return ready.remove();
    }

    private void readAdded() throws IOException {
        List<StoredRow> rows = taken(chunk(added));
        List<Long> replaced = new ArrayList<>();
        for (StoredRow row : rows) {
            Long id = gone.remove(row.key());
            if (id != null) {
                replaced.add(id);
            }
        }
        Map<PrimaryKey, StoredRow> old = new HashMap<>();
        take(before, array(replaced), projection).forEach(row -> old.put(row.key(), row));
        rows.forEach(row -> ready.add(new Change(old.get(row.key()), row)));
    }

    /** Rows that are new; those of other shares are told by their keys. */
    private List<StoredRow> taken(long[] ids) throws IOException {
        if (parts == 1) {
            return take(after, ids, projection);
        }
        List<Long> shared =
                take(after, ids, Projection.KEYS).stream()
                        .filter(this::isShared)
                        .map(StoredRow::rowId)
                        .toList();
        return take(after, array(shared), projection);
    }

    private void readGone() throws IOException {
        List<Long> ids = new ArrayList<>();
        Iterator<Long> next = gone.values().iterator();
        while (next.hasNext() && ids.size() < ROWS_AT_ONCE) {
            ids.add(next.next());
            next.remove();
        }
        take(before, array(ids), projection).forEach(row -> ready.add(new Change(row, null)));
    }

    private static long[] array(List<Long> ids) {
        return ids.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public void close() throws IOException {
        try (RowSnapshot first = before;
                RowSnapshot second = after) {
            ready.clear();
        }
    }
}
