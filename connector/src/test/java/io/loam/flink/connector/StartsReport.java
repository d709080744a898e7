package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What became of every way to start a job; printed after the last test class. The full form keeps
 * the rows of test classes that were not part of this run.
 */
final class StartsReport implements AutoCloseable {
    private static final String HEAD = "| mode | start | result | test |\n|---|---|---|---|\n";

    /** Rows, each with the class whose row it is. */
    private final Map<String, String> rows = new TreeMap<>();

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
    synchronized void add(String mode, String start, String result, Class<?> test) {
        String name = test.getSimpleName();
        rows.put("| " + mode + " | " + start + " | " + result + " | `" + name + "` |", name);
    }

    @Override
    public synchronized void close() throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        if (Campaign.isFull()) {
            keepOthers();
        }
        Campaign.report("starts", HEAD + String.join("\n", rows.keySet()) + "\n");
    }

    private void keepOthers() throws IOException {
        String all =
                Files.readString(
                        Path.of(System.getProperty("loam.root"), "docs", "reliability.md"));
        Set<String> ran = Set.copyOf(rows.values());
        all.substring(all.indexOf("<!-- begin starts -->"), all.indexOf("<!-- end starts -->"))
                .lines()
                .skip(3) // the marker and the head of the table
                .forEach(
                        row -> {
                            String[] quoted = row.split("`");
                            if (quoted.length == 3
                                    && !ran.contains(quoted[1])
                                    && isClass(quoted[1])) {
                                rows.put(row, quoted[1]);
                            }
                        });
    }

    private static boolean isClass(String test) {
        try {
            Class.forName(StartsReport.class.getPackageName() + "." + test);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
