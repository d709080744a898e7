package io.loam.flink.operators;

import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.store.commit.OffsetRange;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Follows the offsets of the partitions one subtask reads. A partition begins at the later of its
 * restored offset and the collection's {@code applied}; records below that are dropped, offsets
 * that never come are counted as skipped.
 */
final class ProgressTracker {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressTracker.class);

    private final Map<Integer, Long> begin;
    private final Map<Integer, Span> open = new TreeMap<>();

    /** The stretch of a partition since its last marker. */
    private static final class Span {
        private long from;
        private long next;
        private long skipped;

        Span(long begin) {
            this.from = begin;
            this.next = begin;
        }
    }

    private ProgressTracker(Map<Integer, Long> begin) {
        this.begin = begin;
    }

    static ProgressTracker startingAt(
            Iterable<PartitionOffset> restored, Map<Integer, Long> applied) {
        Map<Integer, Long> begin = new HashMap<>(applied);
        restored.forEach(offset -> begin.merge(offset.partition(), offset.next(), Math::max));
        return new ProgressTracker(begin);
    }

    /**
     * Takes note of a record.
     *
     * @return whether it is to be applied; false for one that already is
     * @throws IllegalStateException if the partition's offsets go back
     */
    boolean advance(int partition, long offset) {
        Span span = open.get(partition);
        if (span == null) {
            long first = begin.getOrDefault(partition, 0L);
            if (offset < first) {
                return false;
            }
            span = new Span(first);
            open.put(partition, span);
        } else if (offset < span.next) {
            throw new IllegalStateException(
                    "partition "
                            + partition
                            + " went back from offset "
                            + span.next
                            + " to "
                            + offset
                            + "; a partition must be read by one subtask, in order");
        }
        skip(partition, span, offset - span.next);
        span.next = offset + 1;
        return true;
    }

    private static void skip(int partition, Span span, long gap) {
        if (gap > 0) {
            span.skipped += gap;
            LOG.warn(
                    "partition {}: {} offsets from {} on are not in the log; counted as skipped",
                    partition,
                    gap,
                    span.next);
        }
    }

    /** Markers of all that was read since the last call; partitions without news have none. */
    List<Progress> drain() {
        List<Progress> markers = new ArrayList<>();
        open.forEach(
                (partition, span) -> {
                    if (span.next > span.from) {
                        markers.add(
                                new Progress(
                                        partition,
                                        new OffsetRange(span.from, span.next, span.skipped)));
                        span.from = span.next;
                        span.skipped = 0;
                    }
                });
        return markers;
    }

    /**
     * What to keep in state: where the partitions read here stand, and, by one subtask, where those
     * begin that nobody has read from yet.
     */
    List<PartitionOffset> snapshot(boolean keepsUnread) {
        List<PartitionOffset> offsets = new ArrayList<>();
        open.forEach((partition, span) -> offsets.add(new PartitionOffset(partition, span.next)));
        if (keepsUnread) {
            begin.forEach(
                    (partition, first) -> {
                        if (!open.containsKey(partition)) {
                            offsets.add(new PartitionOffset(partition, first));
                        }
                    });
        }
        return offsets;
    }
}
