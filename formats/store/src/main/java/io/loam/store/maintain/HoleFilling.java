package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides which of the rows that are gone stay in a merged split as documents without content, so
 * that its ranges stay few. Every range is read with every manifest and written with every commit;
 * a placeholder costs a few bytes once, in the split.
 *
 * <p>Only rows of the inputs can be filled, as any other row may be in another split. Holes are
 * filled from the shortest on, those of the same length together, until there is one range for so
 * many documents, or as many placeholders as are worth it.
 */
final class HoleFilling {
    /** Documents for which a split may have a range. */
    static final long DOCS_PER_RANGE = 4_096;

    /** So many ranges are always fine. */
    static final int FEW_RANGES = 64;

    /** Most placeholders for every live document. */
    static final long MOST_PLACEHOLDERS_PER_DOC = 4;

    private static final int LONGEST_HOLE = 1_024;

    private HoleFilling() {}

    /**
     * The ranges of the split.
     *
     * @param live rows, as maximal ranges
     * @param owned rows of all inputs, live or not, as maximal ranges
     */
    static List<RowIdRange> fill(List<RowIdRange> live, List<RowIdRange> owned) {
        long docs = RowIdRuns.count(live);
        long few = Math.max(FEW_RANGES, docs / DOCS_PER_RANGE);
        if (live.size() <= few) {
            return live;
        }
        long[] holes = new long[live.size()];
        long[] ofLength = new long[LONGEST_HOLE + 1];
        int at = 0;
        for (int i = 1; i < live.size(); i++) {
            RowIdRange hole = new RowIdRange(live.get(i - 1).end(), live.get(i).start());
            while (Long.compareUnsigned(owned.get(at).end(), hole.start()) < 0) {
                at++;
            }
            boolean ours = Long.compareUnsigned(hole.end(), owned.get(at).end()) <= 0;
            holes[i] = ours && hole.length() <= LONGEST_HOLE ? hole.length() : 0;
            ofLength[(int) holes[i]]++;
        }
        int longest = longest(ofLength, live.size() - few, MOST_PLACEHOLDERS_PER_DOC * docs);
        List<RowIdRange> filled = new ArrayList<>();
        RowIdRange open = live.get(0);
        for (int i = 1; i < live.size(); i++) {
            RowIdRange next = live.get(i);
            if (holes[i] > 0 && holes[i] <= longest) {
                open = new RowIdRange(open.start(), next.end());
            } else {
                filled.add(open);
                open = next;
            }
        }
        filled.add(open);
        return filled;
    }

    /** Up to which length holes are filled, to fill so many. */
    private static int longest(long[] ofLength, long wanted, long mostPlaceholders) {
        long done = 0;
        long placeholders = 0;
        int length = 0;
        while (length < LONGEST_HOLE && done < wanted) {
            long more = ofLength[length + 1] * (length + 1);
            if (placeholders + more > mostPlaceholders) {
                break;
            }
            length++;
            placeholders += more;
            done += ofLength[length];
        }
        return length;
    }
}
