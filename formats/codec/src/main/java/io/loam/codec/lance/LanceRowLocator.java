package io.loam.codec.lance;

import io.loam.codec.CorruptException;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds rows by their stable ids, in logarithmic time. Immutable. */
public final class LanceRowLocator {
    private record Entry(RowIdSequence.Run run, long fragmentId) {}

    private final List<Entry> entries;

    private LanceRowLocator(List<Entry> entries) {
        this.entries = entries;
    }

    /** Collects the runs of many fragments. */
    static final class Builder {
        private final List<Entry> entries = new ArrayList<>();

        void add(long fragmentId, List<RowIdSequence.Run> runs) {
            runs.forEach(run -> entries.add(new Entry(run, fragmentId)));
        }

        /**
         * @throws CorruptException if two rows have one id
         */
        LanceRowLocator build(String where) {
            entries.sort(Comparator.comparing(e -> e.run().start(), Long::compareUnsigned));
            for (int i = 1; i < entries.size(); i++) {
                RowIdSequence.Run before = entries.get(i - 1).run();
                long start = entries.get(i).run().start();
                if (Long.compareUnsigned(start - before.start(), before.length()) < 0) {
                    throw new CorruptException(
                            where + ": two rows have the id " + Long.toUnsignedString(start));
                }
            }
            return new LanceRowLocator(entries);
        }
    }

    /** Whether any of the ids from {@code firstRowId} on is taken. */
    boolean holdsAnyOf(long firstRowId, long rows) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            RowIdSequence.Run run = entries.get(middle).run();
            boolean below =
                    Long.compareUnsigned(firstRowId, run.start()) >= 0
                            && Long.compareUnsigned(firstRowId - run.start(), run.length()) >= 0;
            if (below) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (rows == 0 || low == entries.size()) {
            return false;
        }
        long next = entries.get(low).run().start();
        return Long.compareUnsigned(next, firstRowId) <= 0
                || Long.compareUnsigned(next - firstRowId, rows) < 0;
    }

    /** The first of these ids that no row has. */
    Optional<Long> firstMissing(long firstRowId, long rows) {
        long done = 0;
        while (done < rows) {
            Entry entry = find(firstRowId + done);
            if (entry == null) {
                return Optional.of(firstRowId + done);
            }
            done = entry.run().start() + entry.run().length() - firstRowId;
        }
        return Optional.empty();
    }

    /** The smallest row id of each fragment. */
    Map<Long, Long> firstRowIds() {
        Map<Long, Long> first = new HashMap<>();
        entries.forEach(entry -> first.putIfAbsent(entry.fragmentId(), entry.run().start()));
        return first;
    }

    /** The row of that id, deleted or not. */
    public Optional<RowAddress> locate(long rowId) {
        Entry entry = find(rowId);
        return entry == null
                ? Optional.empty()
                : Optional.of(
                        new RowAddress(
                                entry.fragmentId(),
                                entry.run().offset() + rowId - entry.run().start()));
    }

    @Nullable
    private Entry find(long rowId) {
        int low = 0;
        int high = entries.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Entry entry = entries.get(middle);
            RowIdSequence.Run run = entry.run();
            if (Long.compareUnsigned(rowId, run.start()) < 0) {
                high = middle - 1;
            } else if (Long.compareUnsigned(rowId - run.start(), run.length()) >= 0) {
                low = middle + 1;
            } else {
                return entry;
            }
        }
        return null;
    }
}
