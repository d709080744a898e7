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
}
