package io.loam.jobs.crash;

import java.util.List;

/**
 * What a run saw.
 *
 * @param kills processes killed
 * @param recoveryMs from a kill until everything that was in the log shortly after is applied
 * @param versions published in all
 */
record CrashResult(
        CrashPlan plan,
        int kills,
        List<Long> recoveryMs,
        long records,
        long versions,
        List<String> violations) {

    @Override
    public String toString() {
        return plan
                + ": "
                + kills
                + " kills, recovered in "
                + recoveryMs
                + " ms, "
                + records
                + " records, "
                + versions
                + " versions, "
                + (violations.isEmpty() ? "no violation" : "VIOLATIONS " + violations);
    }
}
