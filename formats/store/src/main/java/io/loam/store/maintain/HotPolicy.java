package io.loam.store.maintain;

import java.io.Serializable;
import java.util.Map;

/**
 * When hot graphs are built anew. A graph is stale once an apply commit with changes of keys came
 * after the version it was built from.
 *
 * @param enabled whether hot graphs are built at all
 * @param insertedRows a stale graph is built anew when so many rows were inserted since, and
 * @param insertedPpm so large a share of its points, in millionths
 * @param staleMs or when it has been stale for so long
 */
public record HotPolicy(boolean enabled, long insertedRows, long insertedPpm, long staleMs)
        implements Serializable {
    public static final HotPolicy DEFAULT = new HotPolicy(true, 10_000, 200_000, 600_000);

    private static final long serialVersionUID = 1L;

    public HotPolicy {
        Settings.requireAtLeast("the inserted rows of a hot graph", insertedRows, 1);
        Settings.requireAtLeast("the inserted share of a hot graph in millionths", insertedPpm, 0);
        Settings.requireAtLeast("the time a hot graph may be stale in ms", staleMs, 0);
    }

    /**
     * The same with some settings given as text: {@code enabled}, {@code inserted-rows}, {@code
     * inserted-ppm}, {@code stale-ms}.
     *
     * @throws IllegalArgumentException for a name or value that cannot be, naming it
     */
    public HotPolicy with(Map<String, String> settings) {
        Settings given = new Settings("hot", settings);
        HotPolicy policy =
                new HotPolicy(
                        given.flag("enabled", enabled),
                        given.number("inserted-rows", insertedRows),
                        given.number("inserted-ppm", insertedPpm),
                        given.number("stale-ms", staleMs));
        given.requireNoOthers();
        return policy;
    }

    public HotPolicy withEnabled(boolean on) {
        return new HotPolicy(on, insertedRows, insertedPpm, staleMs);
    }

    /** Whether a stale graph of so many points is to be built anew. */
    boolean isDue(long inserted, long points, long staleForMs) {
        double share = points * (insertedPpm / 1e6);
        return staleForMs >= staleMs || inserted >= Math.max(insertedRows, share);
    }
}
