package io.loam.store.verify;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what the checks count and find. */
final class Findings {
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final List<String> skipped = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long violationCount;

    void count(String what, long number) {
        counts.put(what, number);
    }

    void skip(String what) {
        skipped.add(what);
    }

    void violation(String what) {
        violationCount++;
        if (violations.size() < VerifyReport.MOST_LISTED) {
            violations.add(what);
        }
    }

    void requireEqual(String what, long found, long expected) {
        if (found != expected) {
            violation(what + ": " + found + ", expected " + expected);
        }
    }

    VerifyReport report(long version) {
        return new VerifyReport(
                version,
                Collections.unmodifiableMap(new LinkedHashMap<>(counts)),
                skipped,
                violations,
                violationCount);
    }
}
