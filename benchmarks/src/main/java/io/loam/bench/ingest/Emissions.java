package io.loam.bench.ingest;

import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * How many records the sources of this JVM's job had emitted when each checkpoint cut the stream:
 * what a commit of that checkpoint holds, whatever the sink counts.
 */
final class Emissions {
    private static final Map<Integer, NavigableMap<Long, Long>> BY_SUBTASK =
            new ConcurrentHashMap<>();
    private static volatile long startedNanos;

    private Emissions() {}

    /** A record is about to be emitted. */
    static void started() {
        if (startedNanos == 0) {
            startedNanos = System.nanoTime();
        }
    }

    static void at(long checkpoint, int subtask, long emitted) {
        BY_SUBTASK
                .computeIfAbsent(subtask, id -> new ConcurrentSkipListMap<>())
                .put(checkpoint, emitted);
    }

    /** When the first record was emitted. */
    static long startedNanos() {
        return startedNanos;
    }

    /** Records emitted before a checkpoint's barriers; subtasks that ended take part no more. */
    static long upTo(long checkpoint) {
        long sum = 0;
        for (NavigableMap<Long, Long> ofSubtask : BY_SUBTASK.values()) {
            Map.Entry<Long, Long> newest = ofSubtask.floorEntry(checkpoint);
            sum += newest == null ? 0 : newest.getValue();
        }
        return sum;
    }
}
