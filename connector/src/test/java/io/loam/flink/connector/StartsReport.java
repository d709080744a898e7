package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of every way to start a job; printed after the last test class. The full form keeps
 * what the report says of starts that were not part of this run.
 */
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
    public synchronized void close() throws IOException {
        if (results.isEmpty()) {
            return;
        }
        if (Campaign.isFull()) {
            keepOthers();
        }
        StringBuilder table = new StringBuilder("| mode | start | result |\n|---|---|---|\n");
        results.forEach((start, result) -> table.append(start).append(result).append('\n'));
        Campaign.report("starts", table.toString());
    }

    private void keepOthers() throws IOException {
        String all =
                Files.readString(
                        Path.of(System.getProperty("loam.root"), "docs", "reliability.md"));
        all.substring(all.indexOf("<!-- begin starts -->"), all.indexOf("<!-- end starts -->"))
                .lines()
                .skip(3) // the marker and the head of the table
                .forEach(
                        row -> {
                            int result = row.indexOf('|', row.indexOf('|', 1) + 1) + 1;
                            results.putIfAbsent(row.substring(0, result), row.substring(result));
                        });
    }
}
