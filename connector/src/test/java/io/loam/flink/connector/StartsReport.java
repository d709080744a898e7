package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

import java.util.Map;
import java.util.TreeMap;

/** What became of every way to start a job; printed after the last test class. */
final class StartsReport implements AutoCloseable {
    private final Map<String, String> results = new TreeMap<>();

    static StartsReport of(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(StartsReport.class))
                .getOrComputeIfAbsent(
                        StartsReport.class, key -> new StartsReport(), StartsReport.class);
    }

    /**
     * @param mode stream or direct
     * @param start how the job was started
     */
    synchronized void add(String mode, String start, String result) {
        results.put("| " + mode + " | " + start + " |", " " + result + " |");
    }

    @Override
    public synchronized void close() {
        if (results.isEmpty()) {
            return;
        }
        StringBuilder table = new StringBuilder("| mode | start | result |\n|---|---|---|\n");
        results.forEach((start, result) -> table.append(start).append(result).append('\n'));
        Campaign.report("starts", table.toString());
    }
}
