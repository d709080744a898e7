package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;

import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Splits whose segments give the merged split when one is put after the other. None of their
 * documents may be deleted: the engine would go on counting their words in scores, and a
 * placeholder can stand only where documents are indexed.
 *
 * @param inputs in ascending row id
 */
record JoinPlan(List<SplitRef> inputs) {
    /** Documents of each split that are looked at: the first, the last and some between them. */
    private static final int SAMPLES = 16;

    /** A document and its row. */
    record Sample(int doc, long rowId) {}

    /**
     * @param deleted documents of each split, in the order of the splits
     * @return empty if the rows have to be indexed anew
     */
    static Optional<JoinPlan> of(List<SplitRef> splits, List<RoaringBitmap> deleted) {
        if (splits.size() < 2 || !deleted.stream().allMatch(RoaringBitmap::isEmpty)) {
            return Optional.empty();
        }
        List<SplitRef> ordered = new ArrayList<>(splits);
        ordered.sort(
                Comparator.comparing(
                        split -> split.ranges().get(0).start(), Long::compareUnsigned));
        RowIdRange before = null;
        for (SplitRef split : ordered) {
            for (RowIdRange range : split.ranges()) {
                if (before != null && Long.compareUnsigned(range.start(), before.end()) < 0) {
                    return Optional.empty();
                }
                before = range;
            }
        }
        return Optional.of(new JoinPlan(ordered));
    }

    /** Some documents of the merged split, ascending. */
    List<Sample> sample() {
        List<Sample> sample = new ArrayList<>();
        long first = 0;
        for (SplitRef split : inputs) {
            long last = split.docCount() - 1;
            long before = -1;
            for (int i = 0; i < SAMPLES; i++) {
                long doc = last * i / (SAMPLES - 1);
                if (doc != before) {
                    sample.add(new Sample(Math.toIntExact(first + doc), rowId(split, doc)));
                }
                before = doc;
            }
            first += split.docCount();
        }
        return sample;
    }

    private static long rowId(SplitRef split, long doc) {
        long left = doc;
        for (RowIdRange range : split.ranges()) {
            if (left < range.length()) {
                return range.start() + left;
            }
            left -= range.length();
        }
        throw new IllegalArgumentException(
                "split " + split.ulid() + " has no row for document " + doc);
    }
}
