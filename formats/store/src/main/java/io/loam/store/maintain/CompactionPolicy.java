package io.loam.store.maintain;

import java.io.Serializable;
import java.util.Map;

/**
 * Which fragments are compacted. Rows are physical ones.
 *
 * @param enabled whether fragments are compacted at all
 * @param targetRows fragments of fewer than half of this are small, and none is made larger
 * @param minSmallFragments so many small ones make a compaction due
 * @param deletedPpm so large a share of deleted rows makes one due, in millionths
 * @param tasksPerRun most groups of one round
 */
public record CompactionPolicy(
        boolean enabled, long targetRows, int minSmallFragments, long deletedPpm, int tasksPerRun)
        implements Serializable {
    public static final CompactionPolicy DEFAULT =
            new CompactionPolicy(true, 1_048_576, 4, 100_000, 8);

    private static final long serialVersionUID = 1L;

    public CompactionPolicy {
        Settings.requireAtLeast("the rows of a fragment", targetRows, 2);
        Settings.requireAtLeast("the small fragments of a compaction", minSmallFragments, 2);
        Settings.requireAtLeast("the deleted share of a compaction in millionths", deletedPpm, 0);
        Settings.requireAtLeast("the groups of a round", tasksPerRun, 1);
    }

    /**
     * The same with some settings given as text: {@code enabled}, {@code target-rows}, {@code
     * min-small-fragments}, {@code deleted-ppm}, {@code tasks-per-run}.
     *
     * @throws IllegalArgumentException for a name or value that cannot be, naming it
     */
    public CompactionPolicy with(Map<String, String> settings) {
        Settings given = new Settings("compaction", settings);
        CompactionPolicy policy =
                new CompactionPolicy(
                        given.flag("enabled", enabled),
                        given.number("target-rows", targetRows),
                        given.count("min-small-fragments", minSmallFragments),
                        given.number("deleted-ppm", deletedPpm),
                        given.count("tasks-per-run", tasksPerRun));
        given.requireNoOthers();
        return policy;
    }

    public CompactionPolicy withEnabled(boolean on) {
        return new CompactionPolicy(on, targetRows, minSmallFragments, deletedPpm, tasksPerRun);
    }
}
