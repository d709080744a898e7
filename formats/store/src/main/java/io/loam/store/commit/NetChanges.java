package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.staged.KeyChange;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;

/**
 * What the units of one checkpoint change together, per key: the row it had before the checkpoint
 * and the row it has after. A key that moved several times appears in several lists; each move
 * begins where an earlier one ended, so whatever begins and ends cancels out and the first old and
 * the last new row remain, in whatever order the lists come.
 */
final class NetChanges {
    private final List<KeyChange> changes;
    private final long[] deletedRows;
    private final long[] insertedRows;

    private NetChanges(List<KeyChange> changes) {
        this.changes = changes;
        this.deletedRows =
                sorted(changes.stream().map(KeyChange::oldRow).filter(Objects::nonNull).toList());
        this.insertedRows =
                sorted(changes.stream().map(KeyChange::newRow).filter(Objects::nonNull).toList());
    }

    private static long[] sorted(List<Long> rows) {
        long[] ids = rows.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(ids);
        for (int i = 1; i < ids.length; i++) {
            if (ids[i] == ids[i - 1]) {
                throw new CorruptException(
                        "staged key lists name row " + ids[i] + " for more than one key");
            }
        }
        return ids;
    }

    /**
     * @param lists key lists of the units, each in ascending key order
     */
    static NetChanges of(List<List<KeyChange>> lists) {
        PriorityQueue<Head> heads =
                new PriorityQueue<>(Comparator.comparing(head -> head.next.key()));
        lists.forEach(list -> Head.push(heads, list.iterator()));
        List<KeyChange> net = new ArrayList<>();
        List<KeyChange> moves = new ArrayList<>();
        while (!heads.isEmpty()) {
            PrimaryKey key = heads.peek().next.key();
            moves.clear();
            while (!heads.isEmpty() && heads.peek().next.key().equals(key)) {
                Head head = heads.poll();
                moves.add(head.next);
                Head.push(heads, head.rest);
            }
            KeyChange change = join(key, moves);
            if (!Objects.equals(change.oldRow(), change.newRow())) {
                net.add(change);
            }
        }
        return new NetChanges(net);
    }

    private static KeyChange join(PrimaryKey key, List<KeyChange> moves) {
        if (moves.size() == 1) {
            return moves.get(0);
        }
        List<Long> begins = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        for (KeyChange move : moves) {
            begins.add(move.oldRow());
            ends.add(move.newRow());
        }
        for (Iterator<Long> end = ends.iterator(); end.hasNext(); ) {
            if (begins.remove(end.next())) {
                end.remove();
            }
        }
        if (begins.isEmpty()) {
            return new KeyChange(key, null, null);
        }
        if (begins.size() > 1) {
            throw new CorruptException(
                    "staged key lists do not agree about key " + key + ": " + moves);
        }
        return new KeyChange(key, begins.get(0), ends.get(0));
    }

    /** Keys whose row changed, ascending. */
    List<KeyChange> changes() {
        return changes;
    }

    /** Rows of the parent that are gone, ascending. */
    long[] deletedRows() {
        return deletedRows;
    }

    /** Rows of the units that stay, ascending. */
    long[] insertedRows() {
        return insertedRows;
    }

    /** The next entry of a list and what follows it. */
    private record Head(KeyChange next, Iterator<KeyChange> rest) {
        static void push(PriorityQueue<Head> heads, Iterator<KeyChange> rest) {
            @Nullable KeyChange next = rest.hasNext() ? rest.next() : null;
            if (next != null) {
                heads.add(new Head(next, rest));
            }
        }
    }
}
