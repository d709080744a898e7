package io.loam.codec.manifest;

import java.util.ArrayList;
import java.util.List;

/** Turns ascending row ids into maximal ranges and counts what ranges hold. */
public final class RowIdRuns {
    private RowIdRuns() {}

    /**
     * The maximal runs of ascending ids.
     *
     * @throws IllegalArgumentException if an id is not above the one before it
     */
    public static List<RowIdRange> of(long[] ascendingIds) {
        List<RowIdRange> runs = new ArrayList<>();
        int first = 0;
        for (int i = 1; i <= ascendingIds.length; i++) {
            if (i < ascendingIds.length
                    && Long.compareUnsigned(ascendingIds[i], ascendingIds[i - 1]) <= 0) {
                throw new IllegalArgumentException(
                        "row ids must ascend: "
                                + Long.toUnsignedString(ascendingIds[i])
                                + " follows "
                                + Long.toUnsignedString(ascendingIds[i - 1]));
            }
            if (i == ascendingIds.length || ascendingIds[i] != ascendingIds[i - 1] + 1) {
                runs.add(new RowIdRange(ascendingIds[first], ascendingIds[i - 1] + 1));
                first = i;
            }
        }
        return runs;
    }

    /** How many ids the ranges hold. */
    public static long count(List<RowIdRange> ranges) {
        long count = 0;
        for (RowIdRange range : ranges) {
            count += range.length();
        }
        return count;
    }
}
