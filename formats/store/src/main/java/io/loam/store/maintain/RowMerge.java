package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The live rows of several fragments, whole, in ascending row id. A fragment is opened once its
 * smallest row id is next, so that of fragments one after the other only one is open.
 */
final class RowMerge implements RowCursor {
    private final RowSnapshot rows;
    private final Deque<Compactable> waiting;
    private final PriorityQueue<Open> open =
            new PriorityQueue<>(Comparator.comparing(o -> o.next.rowId(), Long::compareUnsigned));

    private static final class Open {
        private final long fragment;
        private final RowCursor cursor;
        private StoredRow next;

        Open(long fragment, RowCursor cursor) {
            this.fragment = fragment;
            this.cursor = cursor;
        }
    }

    /**
     * @param fragments in the order of their row ids
     */
    RowMerge(RowSnapshot rows, List<Compactable> fragments) {
        this.rows = rows;
        this.waiting = new ArrayDeque<>(fragments);
    }

    @Override
    @Nullable
    public StoredRow next() throws IOException {
        while (!waiting.isEmpty() && isNext(waiting.peek())) {
            long fragment = waiting.remove().fragment().id();
            advance(new Open(fragment, rows.scanFile(Projection.ALL, (int) fragment)));
        }
        if (open.isEmpty()) {
            return null;
        }
        Open first = open.remove();
        StoredRow row = first.next;
        advance(first);
        return row;
    }

    private boolean isNext(Compactable fragment) {
        return open.isEmpty()
                || Long.compareUnsigned(fragment.firstRowId(), open.peek().next.rowId()) <= 0;
    }

    private void advance(Open from) throws IOException {
        StoredRow before = from.next;
        try {
            from.next = from.cursor.next();
        } catch (IOException | RuntimeException e) {
            from.cursor.close();
            throw e;
        }
        if (from.next == null) {
            from.cursor.close();
            return;
        }
        open.add(from);
        if (before != null && Long.compareUnsigned(from.next.rowId(), before.rowId()) <= 0) {
            throw new CorruptException(
                    "row ids of fragment "
                            + Long.toUnsignedString(from.fragment)
                            + " do not ascend: "
                            + Long.toUnsignedString(from.next.rowId())
                            + " follows "
                            + Long.toUnsignedString(before.rowId()));
        }
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (Open one : open) {
            try {
                one.cursor.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        open.clear();
        waiting.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
