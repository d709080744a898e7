package io.loam.codec.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The two sizes of a reliability test: a short form in every build, the full form under {@code mvn
 * verify -Pcampaign}, which also writes what it saw into {@code docs/reliability.md}.
 */
public final class Campaign {
    private static final long FIXED_SEED = 20_261_130L;
    private static final String ROOT = System.getProperty("loam.root");

    private Campaign() {}

    /** Whether this is the full form. */
    public static boolean isFull() {
        return Boolean.getBoolean("loam.campaign");
    }

    /** The size of this run: of the short form, or of the full one. */
    public static int size(int shortForm, int full) {
        return isFull() ? full : shortForm;
    }

    /**
     * The seed of a random test: {@code -Dloam.seed=}, else the same one in every build, so that a
     * build's result depends on the commit alone; the full form takes a new one.
     */
    public static long seed() {
        return Long.getLong("loam.seed", isFull() ? System.nanoTime() : FIXED_SEED);
    }

    /**
     * Prints a result as Markdown. The full form also puts it into the report, between the lines
     * {@code <!-- begin <section> -->} and {@code <!-- end <section> -->}.
     *
     * @throws IllegalStateException if the report has no such section
     */
    public static synchronized void report(String section, String markdown) {
        String body = markdown.strip();
        System.out.println("---- " + section + " ----\n" + body);
        if (!isFull()) {
            return;
        }
        Path report = Path.of(ROOT, "docs", "reliability.md");
        try {
            Files.writeString(report, replace(Files.readString(report), section, body));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String replace(String report, String section, String body) {
        String begin = "<!-- begin " + section + " -->\n";
        String end = "<!-- end " + section + " -->";
        int from = report.indexOf(begin);
        int to = report.indexOf(end, from);
        if (from < 0 || to < 0) {
            throw new IllegalStateException("docs/reliability.md has no section " + section);
        }
        return report.substring(0, from + begin.length()) + body + "\n" + report.substring(to);
    }
}
