package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Row ids as maximal ranges, to ask whether others are all among them. */
final class RowIdCover {
    private final NavigableMap<Long, Long> ends = new TreeMap<>(Long::compareUnsigned);

    RowIdCover(List<RowIdRange> ranges) {
        List<RowIdRange> sorted =
                ranges.stream()
                        .sorted(Comparator.comparing(RowIdRange::start, Long::compareUnsigned))
                        .toList();
        for (RowIdRange range : sorted) {
            Map.Entry<Long, Long> last = ends.lastEntry();
            if (last != null && last.getValue() == range.start()) {
                ends.put(last.getKey(), range.end());
            } else {
                ends.put(range.start(), range.end());
            }
        }
    }

    boolean holdsAll(List<RowIdRange> ranges) {
        return ranges.stream().allMatch(this::holds);
    }

    private boolean holds(RowIdRange range) {
        Map.Entry<Long, Long> around = ends.floorEntry(range.start());
        return around != null && Long.compareUnsigned(range.end(), around.getValue()) <= 0;
    }
}
