package io.loam.store.maintain;

import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Chooses the fragments to compact. Pure.
 *
 * <pre>
 * due        a fragment whose deleted share is large enough;
 *            and every small one, once there are enough of these
 * groups     due fragments under the same indexes, in the order of their row ids, up to the target
 * left out   of a group: the largest, as long as it alone has more rows than the others together
 *            and is not due by its deletions; then a group of one small fragment
 * </pre>
 *
 * What is left out keeps the work bounded: a row is written again only together with as many others
 * at least, so that it is written once for every doubling of its fragment. The small fragments that
 * stay are each larger than all smaller ones together, which are few.
 */
final class CompactionPlanner {
    private static final long MILLION = 1_000_000;

    private final CompactionPolicy policy;

    CompactionPlanner(CompactionPolicy policy) {
        this.policy = policy;
    }

    /**
     * @param fragments in the order of their row ids
     */
    List<CompactFragments> plan(List<Compactable> fragments) {
        if (!policy.enabled()) {
            return List.of();
        }
        boolean enoughSmall =
                fragments.stream().filter(this::isSmall).count() >= policy.minSmallFragments();
        Map<Set<UUID>, List<Compactable>> due = new LinkedHashMap<>();
        for (Compactable fragment : fragments) {
            if (isReadable(fragment) && (isDeleted(fragment) || enoughSmall && isSmall(fragment))) {
                due.computeIfAbsent(fragment.indexes(), any -> new ArrayList<>()).add(fragment);
            }
        }
        return due.values().stream()
                .flatMap(alike -> groups(alike).stream())
                .map(this::trimmed)
                .filter(this::isWorthIt)
                .sorted(Comparator.comparing(g -> g.get(0).firstRowId(), Long::compareUnsigned))
                .limit(policy.tasksPerRun())
                .map(
                        group ->
                                new CompactFragments(
                                        group.stream().map(f -> f.fragment().id()).toList()))
                .toList();
    }

    private boolean isSmall(Compactable fragment) {
        return fragment.fragment().physicalRows() < policy.targetRows() / 2;
    }

    private boolean isDeleted(Compactable fragment) {
        long deleted = fragment.fragment().deletedRows();
        return deleted > 0
                && deleted * MILLION >= policy.deletedPpm() * fragment.fragment().physicalRows();
    }

    /** Deletion files in Arrow's format, which only Lance's own commits make, cannot be read. */
    private static boolean isReadable(Compactable fragment) {
        String deletions = fragment.fragment().deletionFile();
        return deletions == null || !deletions.endsWith(".arrow");
    }

    private List<List<Compactable>> groups(List<Compactable> fragments) {
        List<List<Compactable>> groups = new ArrayList<>();
        List<Compactable> group = new ArrayList<>();
        long rows = 0;
        for (Compactable fragment : fragments) {
            long live = fragment.fragment().liveRows();
            if (!group.isEmpty() && rows + live > policy.targetRows()) {
                groups.add(group);
                group = new ArrayList<>();
                rows = 0;
            }
            group.add(fragment);
            rows += live;
        }
        if (!group.isEmpty()) {
            groups.add(group);
        }
        return groups;
    }

    private List<Compactable> trimmed(List<Compactable> group) {
        List<Compactable> kept = new ArrayList<>(group);
        while (kept.size() > 1) {
            Compactable largest =
                    kept.stream()
                            .max(Comparator.comparing(f -> f.fragment().liveRows()))
                            .orElseThrow();
            long rows = kept.stream().mapToLong(f -> f.fragment().liveRows()).sum();
            if (isDeleted(largest) || 2 * largest.fragment().liveRows() <= rows) {
                break;
            }
            kept.remove(largest);
        }
        return kept;
    }

    private boolean isWorthIt(List<Compactable> group) {
        return group.size() > 1 || isDeleted(group.get(0));
    }
}
