package io.loam.store.verify;

import java.util.List;
import java.util.Map;

/**
 * What a verification found.
 *
 * @param version that was checked
 * @param counts what was looked at, by name, in the order to print
 * @param skipped checks that could not be made, and why; one line each
 * @param violations one line each; at most {@link #MOST_LISTED} are listed
 * @param violationCount all of them
 */
public record VerifyReport(
        long version,
        Map<String, Long> counts,
        List<String> skipped,
        List<String> violations,
        long violationCount) {
    public static final int MOST_LISTED = 1000;
    static final String KEYS = "keys";

    public VerifyReport {
        skipped = List.copyOf(skipped);
        violations = List.copyOf(violations);
    }

    public boolean ok() {
        return violationCount == 0;
    }

    /** Keys of the version, which are its live rows. */
    public long keys() {
        return counts.getOrDefault(KEYS, 0L);
    }
}
