package io.loam.codec.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds the split and document of a row id and back, over the row-id ranges of one manifest.
 * Documents of a split are numbered over its ranges in order. Row ids are unsigned.
 */
public final class RowLocator {
    private final long[] starts;
    private final long[] ends;
    private final long[] firstDocs;
    private final int[] splits;

    /** Per split: its ranges, and the number of each range's first document. */
    private final List<List<RowIdRange>> rangesOfSplit;

    private final List<long[]> firstDocsOfSplit = new ArrayList<>();

    /**
     * A document's place.
     *
     * @param split index in the manifest's list
     */
    public record Place(int split, long doc) {}

    private record Entry(RowIdRange range, int split, long firstDoc) {}

    private RowLocator(List<List<RowIdRange>> ranges) {
        List<Entry> entries = new ArrayList<>();
        for (int split = 0; split < ranges.size(); split++) {
            List<RowIdRange> ofSplit = ranges.get(split);
            long[] first = new long[ofSplit.size()];
            long doc = 0;
            for (int i = 0; i < first.length; i++) {
                first[i] = doc;
                entries.add(new Entry(ofSplit.get(i), split, doc));
                doc += ofSplit.get(i).length();
            }
            firstDocsOfSplit.add(first);
        }
        rangesOfSplit = ranges;
        entries.sort((a, b) -> Long.compareUnsigned(a.range.start(), b.range.start()));
        starts = entries.stream().mapToLong(e -> e.range.start()).toArray();
        ends = entries.stream().mapToLong(e -> e.range.end()).toArray();
        firstDocs = entries.stream().mapToLong(Entry::firstDoc).toArray();
        splits = entries.stream().mapToInt(Entry::split).toArray();
    }

    /** A locator over a manifest's splits. */
    public static RowLocator of(List<SplitRef> splits) {
        return new RowLocator(splits.stream().map(SplitRef::ranges).toList());
    }

    /** The place of a row id, or nothing if no split holds it. */
    public Optional<Place> locate(long rowId) {
        int entry = floor(starts, rowId);
        if (entry < 0 || Long.compareUnsigned(rowId, ends[entry]) >= 0) {
            return Optional.empty();
        }
        return Optional.of(new Place(splits[entry], firstDocs[entry] + (rowId - starts[entry])));
    }

    /** The row id of a split's document, or nothing if the split has no such document. */
    public OptionalLong rowId(int split, long doc) {
        int index = floor(firstDocsOfSplit.get(split), doc);
        if (index < 0) {
            return OptionalLong.empty();
        }
        RowIdRange range = rangesOfSplit.get(split).get(index);
        long offset = doc - firstDocsOfSplit.get(split)[index];
        return Long.compareUnsigned(offset, range.length()) < 0
                ? OptionalLong.of(range.start() + offset)
                : OptionalLong.empty();
    }

    /** Index of the last value not above {@code key}, or -1. */
    private static int floor(long[] ascending, long key) {
        int low = 0;
        int high = ascending.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(ascending[middle], key) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }
}
