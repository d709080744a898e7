package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

import java.util.Map;
import java.util.TreeMap;

/** What was seen on S3 servers; printed after the last test class. */
final class S3Report implements AutoCloseable {
    private final Map<String, String> results = new TreeMap<>();

    static S3Report of(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(S3Report.class))
                .getOrComputeIfAbsent(S3Report.class, key -> new S3Report(), S3Report.class);
    }

    synchronized void add(String server, String what, String result) {
        results.put("| " + what + " | " + server + " |", " " + result + " |");
    }

    @Override
    public synchronized void close() {
        if (results.isEmpty()) {
            return;
        }
        StringBuilder table = new StringBuilder("| what | server | seen |\n|---|---|---|\n");
        results.forEach((what, result) -> table.append(what).append(result).append('\n'));
        Campaign.report("s3", table.toString());
    }
}
