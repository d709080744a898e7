package io.loam.store.gc;

import io.loam.store.gc.GcPlan.Verdict;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a pass did.
 *
 * @param deleted objects, the first of {@link GcPlan#deletes}
 * @param left objects that are due but were above the bound of a pass
 */
public record GcResult(GcPlan plan, int deleted, int left) {

    /** What was deleted, or would be. */
    public List<Verdict> gone(boolean dryRun) {
        return dryRun ? plan.deletes() : plan.deletes().subList(0, deleted);
    }

    /** How large that is. */
    public long bytes(boolean dryRun) {
        return gone(dryRun).stream().mapToLong(Verdict::bytes).sum();
    }

    /** How many objects stay, by the reason. */
    public Map<Fate, Long> kept() {
        Map<Fate, Long> counts = new EnumMap<>(Fate.class);
        for (Verdict verdict : plan.verdicts()) {
            if (!verdict.fate().isDeleted()) {
                counts.merge(verdict.fate(), 1L, Long::sum);
            }
        }
        return counts;
    }

    /**
     * One line for people.
     *
     * @param dryRun whether nothing was deleted on purpose
     */
    public String summary(boolean dryRun) {
        if (plan.damage() != null) {
            return "it cannot be read: " + plan.damage();
        }
        return summary(gone(dryRun).size(), bytes(dryRun), dryRun);
    }

    /**
     * The same of several passes, of which this was the last.
     *
     * @param objects that all of them deleted
     */
    public String summary(long objects, long bytes) {
        return plan.damage() != null ? summary(false) : summary(objects, bytes, false);
    }

    private String summary(long objects, long bytes, boolean dryRun) {
        StringBuilder line = new StringBuilder();
        line.append(objects)
                .append(objects == 1 ? " object of " : " objects of ")
                .append(bytes)
                .append(dryRun ? " bytes would go" : " bytes deleted");
        if (!dryRun && left > 0) {
            line.append(", ").append(left).append(" are left for another pass");
        }
        kept().forEach(
                        (fate, count) ->
                                line.append("; kept ")
                                        .append(count)
                                        .append(' ')
                                        .append(fate.reason()));
        return line.toString();
    }
}
