package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.record.Document;
import io.loam.store.spi.SplitBuilder;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;

/** Puts placeholders between live documents, so that a split holds every row of its ranges. */
final class FilledSplit {
    private final SplitBuilder builder;
    private final Iterator<RowIdRange> ranges;
    private long next;
    private long end;

    /**
     * @param ranges of the split, each from a live row to a live row
     */
    FilledSplit(SplitBuilder builder, List<RowIdRange> ranges) {
        this.builder = builder;
        this.ranges = ranges.iterator();
    }

    /** Adds the next live document. */
    void add(long rowId, Document document) throws IOException {
        while (Long.compareUnsigned(rowId, end) >= 0) {
            RowIdRange range = ranges.next();
            next = range.start();
            end = range.end();
        }
        for (; next != rowId; next++) {
            builder.addPlaceholder(next);
        }
        builder.add(rowId, document);
        next++;
    }
}
