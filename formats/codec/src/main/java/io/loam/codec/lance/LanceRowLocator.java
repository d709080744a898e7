package io.loam.codec.lance;

import io.loam.codec.CorruptException;

import javax.annotation.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds rows by their stable ids. Fragments may have ids between those of others; as few do, an id
 * is found in logarithmic time. Immutable.
 */
public final class LanceRowLocator {
    private record Entry(RowIdSegment ids, long fragmentId) {}

    /** By first id. */
    private final List<Entry> entries;

    /** The largest id of the entries up to each. */
    private final long[] lasts;

    private LanceRowLocator(List<Entry> entries, long[] lasts) {
        this.entries = entries;
        this.lasts = lasts;
    }

    /** Collects the ids of many fragments. */
    static final class Builder {
        private final List<Entry> entries = new ArrayList<>();

        void add(long fragmentId, List<RowIdSequence.Run> runs) {
            for (RowIdSequence.Run run : runs) {
                RowIdSegment ids = RowIdSegment.range(run.start(), run.length(), run.offset());
                entries.add(new Entry(ids, fragmentId));
            }
        }

        void addSegments(long fragmentId, List<RowIdSegment> segments) {
            segments.forEach(segment -> entries.add(new Entry(segment, fragmentId)));
        }

        /**
         * @throws CorruptException if two rows have one id
         */
        LanceRowLocator build(String where) {
            entries.sort(Comparator.comparing(e -> e.ids().first, Long::compareUnsigned));
            long[] lasts = new long[entries.size()];
            for (int i = 0; i < lasts.length; i++) {
                RowIdSegment ids = entries.get(i).ids();
                for (int j = i - 1; j >= 0 && Long.compareUnsigned(lasts[j], ids.first) >= 0; j--) {
                    OptionalLong twice = entries.get(j).ids().common(ids);
                    if (twice.isPresent()) {
                        throw new CorruptException(
                                where
                                        + ": two rows have the id "
                                        + Long.toUnsignedString(twice.getAsLong()));
                    }
                }
                boolean further = i == 0 || Long.compareUnsigned(ids.last, lasts[i - 1]) > 0;
                lasts[i] = further ? ids.last : lasts[i - 1];
            }
            return new LanceRowLocator(entries, lasts);
        }
    }

    /** Whether any of the ids from {@code firstRowId} on is taken. */
    boolean holdsAnyOf(long firstRowId, long rows) {
        if (rows == 0) {
            return false;
        }
        long lastRowId = firstRowId + rows - 1;
        for (int i = floor(lastRowId); i >= 0 && reaches(i, firstRowId); i--) {
            RowIdSegment ids = entries.get(i).ids();
            if (Long.compareUnsigned(ids.first, firstRowId) >= 0) {
                return true;
            }
            if (ids.spans(firstRowId)
                    && Long.compareUnsigned(ids.next(firstRowId), lastRowId) <= 0) {
                return true;
            }
        }
        return false;
    }

    /** The last entry that begins at the id or before it, -1 for none. */
    private int floor(long rowId) {
        int low = 0;
        int high = entries.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(entries.get(middle).ids().first, rowId) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** Whether an entry or one before it may have the id. */
    private boolean reaches(int entry, long rowId) {
        return Long.compareUnsigned(lasts[entry], rowId) >= 0;
    }

    /** The first of these ids that no row has. */
    Optional<Long> firstMissing(long firstRowId, long rows) {
        long done = 0;
        while (done < rows) {
            Entry entry = find(firstRowId + done);
            if (entry == null) {
                return Optional.of(firstRowId + done);
            }
            done = entry.ids().gap(firstRowId + done) - firstRowId;
        }
        return Optional.empty();
    }

    /** The smallest row id of each fragment. */
    Map<Long, Long> firstRowIds() {
        Map<Long, Long> first = new HashMap<>();
        entries.forEach(entry -> first.putIfAbsent(entry.fragmentId(), entry.ids().first));
        return first;
    }

    /** The row of that id, deleted or not. */
    public Optional<RowAddress> locate(long rowId) {
        Entry entry = find(rowId);
        return entry == null
                ? Optional.empty()
                : Optional.of(new RowAddress(entry.fragmentId(), entry.ids().row(rowId)));
    }

    @Nullable
    private Entry find(long rowId) {
        for (int i = floor(rowId); i >= 0 && reaches(i, rowId); i--) {
            if (entries.get(i).ids().row(rowId) >= 0) {
                return entries.get(i);
            }
        }
        return null;
    }
}
