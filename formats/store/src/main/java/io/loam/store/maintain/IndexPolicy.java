package io.loam.store.maintain;

import java.io.Serializable;
import java.util.Map;

/**
 * Which indexes are built, and when. Rows are live ones.
 *
 * @param enabled whether indexes are built at all
 * @param firstRows a collection of so many gets its vector indexes
 * @param deltaRows so many that no segment covers get a segment of their own
 * @param maxSegments an index that would have so many is built anew as one
 * @param keyRows a collection of so many gets an index of its keys; so many uncovered ones, and a
 *     tenth of the covered ones, make it due again
 */
public record IndexPolicy(
        boolean enabled, long firstRows, long deltaRows, int maxSegments, long keyRows)
        implements Serializable {
    public static final IndexPolicy DEFAULT = new IndexPolicy(true, 5_000, 20_000, 4, 10_000);

    private static final long serialVersionUID = 1L;

    public IndexPolicy {
        Settings.requireAtLeast("the rows of a first index", firstRows, 1);
        Settings.requireAtLeast("the rows of a segment", deltaRows, 1);
        Settings.requireAtLeast("the segments of an index", maxSegments, 2);
        Settings.requireAtLeast("the rows of an index of keys", keyRows, 1);
    }

    /**
     * The same with some settings given as text: {@code enabled}, {@code first-rows}, {@code
     * delta-rows}, {@code max-segments}, {@code key-rows}.
     *
     * @throws IllegalArgumentException for a name or value that cannot be, naming it
     */
    public IndexPolicy with(Map<String, String> settings) {
        Settings given = new Settings("index", settings);
        IndexPolicy policy =
                new IndexPolicy(
                        given.flag("enabled", enabled),
                        given.number("first-rows", firstRows),
                        given.number("delta-rows", deltaRows),
                        given.count("max-segments", maxSegments),
                        given.number("key-rows", keyRows));
        given.requireNoOthers();
        return policy;
    }

    public IndexPolicy withEnabled(boolean on) {
        return new IndexPolicy(on, firstRows, deltaRows, maxSegments, keyRows);
    }

    /** The same for however few rows. */
    IndexPolicy withoutLeast() {
        return new IndexPolicy(enabled, 1, deltaRows, maxSegments, 1);
    }
}
