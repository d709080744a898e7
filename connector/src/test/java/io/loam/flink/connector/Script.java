package io.loam.flink.connector;

import io.loam.codec.record.Operation;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Operations that a source of this JVM plays one after the other, as far as they are written. The
 * n-th is the same whenever it is read, so that a source that goes back repeats itself.
 */
final class Script {
    private static final Map<String, List<Operation>> WRITTEN = new ConcurrentHashMap<>();

    private static final Map<String, Long> PLAYED = new ConcurrentHashMap<>();

    private Script() {}

    static void append(String name, List<Operation> operations) {
        WRITTEN.computeIfAbsent(name, any -> new CopyOnWriteArrayList<>()).addAll(operations);
    }

    static int size(String name) {
        return WRITTEN.getOrDefault(name, List.of()).size();
    }

    static Operation get(String name, long at) {
        return WRITTEN.get(name).get((int) at);
    }

    /** The same, by a source: whatever it snapshots later holds this operation. */
    static Operation play(String name, long at) {
        PLAYED.put(name, at);
        return get(name, at);
    }

    /** Position of the operation that was played last, -1 for none. */
    static long played(String name) {
        return PLAYED.getOrDefault(name, -1L);
    }
}
