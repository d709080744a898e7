package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;

import org.roaringbitmap.RoaringBitmap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The ids of the live documents of several splits, ascending, as maximal ranges. */
final class LiveRows {
    private final List<RowIdRange> ranges;

    private LiveRows(List<RowIdRange> ranges) {
        this.ranges = ranges;
    }

    /** Rows of the splits, live or not. */
    static List<RowIdRange> all(List<SplitRef> splits) {
        return of(splits, splits.stream().map(split -> new RoaringBitmap()).toList()).ranges();
    }

    /** A range of a split and the number of its first document. */
    private record Piece(RowIdRange range, long firstDoc, RoaringBitmap deleted) {}

    /**
     * @param deleted documents of each split, in the order of the splits
     */
    static LiveRows of(List<SplitRef> splits, List<RoaringBitmap> deleted) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < splits.size(); i++) {
            long doc = 0;
            for (RowIdRange range : splits.get(i).ranges()) {
                pieces.add(new Piece(range, doc, deleted.get(i)));
                doc += range.length();
            }
        }
        pieces.sort(Comparator.comparing(piece -> piece.range.start(), Long::compareUnsigned));
        List<RowIdRange> runs = new ArrayList<>();
        for (Piece piece : pieces) {
            addLive(piece, runs);
        }
        return new LiveRows(runs);
    }

    private static void addLive(Piece piece, List<RowIdRange> runs) {
        long length = piece.range.length();
        long doc = 0;
        while (doc < length) {
            long first =
                    piece.deleted.nextAbsentValue((int) (piece.firstDoc + doc)) - piece.firstDoc;
            if (first >= length) {
                return;
            }
            long gone = piece.deleted.nextValue((int) (piece.firstDoc + first));
            long end = gone < 0 ? length : Math.min(length, gone - piece.firstDoc);
            append(runs, piece.range.start() + first, piece.range.start() + end);
            doc = end;
        }
    }

    private static void append(List<RowIdRange> runs, long start, long end) {
        int last = runs.size() - 1;
        if (last >= 0 && runs.get(last).end() == start) {
            runs.set(last, new RowIdRange(runs.get(last).start(), end));
        } else {
            runs.add(new RowIdRange(start, end));
        }
    }

    List<RowIdRange> ranges() {
        return ranges;
    }

    long count() {
        return RowIdRuns.count(ranges);
    }

    /** Work on some of the ids. */
    @FunctionalInterface
    interface Chunk<E extends Exception> {
        void take(long[] ascending) throws E;
    }

    /** Hands out all ids, so many at once. */
    <E extends Exception> void forEachChunk(int most, Chunk<E> chunk) throws E {
        long[] ids = new long[most];
        int filled = 0;
        for (RowIdRange range : ranges) {
            for (long id = range.start(); id != range.end(); id++) {
                ids[filled++] = id;
                if (filled == most) {
                    chunk.take(ids.clone());
                    filled = 0;
                }
            }
        }
        if (filled > 0) {
            chunk.take(Arrays.copyOf(ids, filled));
        }
    }
}
