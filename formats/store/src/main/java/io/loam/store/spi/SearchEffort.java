package io.loam.store.spi;

/**
 * How thoroughly nearest rows are looked for where an index could be used. What is found is ordered
 * by exact distances in any case.
 *
 * @param exact whether every row is compared, and no index used
 * @param probes partitions of each segment that are searched at least
 * @param candidates rows for each one asked for that are compared exactly; more of many rows, where
 *     an index tells them apart by codes only
 */
public record SearchEffort(boolean exact, int probes, int candidates) {
    public static final SearchEffort EXACT = new SearchEffort(true, 1, 1);

    /** Finds at least 95 % of the ten nearest of real sentence embeddings. */
    public static final SearchEffort DEFAULT = new SearchEffort(false, 32, 20);

    public SearchEffort {
        if (probes < 1) {
            throw new IllegalArgumentException("probes are at least 1, not " + probes);
        }
        if (candidates < 1) {
            throw new IllegalArgumentException("candidates are at least 1, not " + candidates);
        }
    }
}
