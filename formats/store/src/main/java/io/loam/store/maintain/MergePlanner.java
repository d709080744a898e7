package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Chooses which splits to merge. Pure. Splits of the same schema version that are young (smaller
 * than the target and not yet mature) are sorted by live documents and cut into levels, of which
 * each holds splits of roughly the same size:
 *
 * <pre>
 * the first level ends at  max(3 * its first split's documents, the lowest level's documents)
 * any other ends at        3 * its first split's documents
 * </pre>
 *
 * A level gives one candidate, taken from its largest split downwards until it is full: as many
 * splits as may be merged at once, or as many documents as a split should have. One that is not
 * full is merged if it has enough splits, and waits otherwise. A split that is in no merge, mature
 * ones included, is purged, which means merged alone, when enough of it is deleted.
 *
 * <p>The plans of one call name no split twice.
 */
final class MergePlanner {
    private static final int LEVEL_RATIO = 3;
    private static final long MILLION = 1_000_000;
    private static final Comparator<SplitRef> BY_SIZE =
            Comparator.comparing(SplitRef::liveCount).thenComparing(SplitRef::ulid);

    private final MergePolicy policy;

    MergePlanner(MergePolicy policy) {
        this.policy = policy;
    }

    /** Merges and purges, ordered by their smallest input. */
    List<MergeSplits> plan(List<SplitRef> splits, long nowMs) {
        if (!policy.enabled()) {
            return List.of();
        }
        List<MergeSplits> plans = new ArrayList<>();
        Set<Ulid> merged = new HashSet<>();
        for (List<SplitRef> candidate : candidates(splits, nowMs)) {
            List<SplitRef> inputs = bound(candidate);
            if (inputs.size() > 1) {
                MergeSplits merge = new MergeSplits(ulids(inputs));
                plans.add(merge);
                merged.addAll(merge.inputs());
            }
        }
        for (SplitRef split : splits) {
            if (!merged.contains(split.ulid()) && isPurged(split)) {
                plans.add(new MergeSplits(List.of(split.ulid())));
            }
        }
        plans.sort(Comparator.comparing(plan -> plan.inputs().get(0)));
        return plans;
    }

    private static List<Ulid> ulids(List<SplitRef> splits) {
        return splits.stream().map(SplitRef::ulid).toList();
    }

    /** Candidates before they are bounded. */
    List<List<SplitRef>> candidates(List<SplitRef> splits, long nowMs) {
        Collection<List<SplitRef>> groups =
                splits.stream()
                        .filter(split -> !isMature(split, nowMs))
                        .sorted(BY_SIZE)
                        .collect(
                                Collectors.groupingBy(
                                        SplitRef::schemaVersion, TreeMap::new, Collectors.toList()))
                        .values();
        List<List<SplitRef>> candidates = new ArrayList<>();
        for (List<SplitRef> group : groups) {
            for (Level level : levels(group.stream().map(SplitRef::liveCount).toList())) {
                List<SplitRef> candidate = candidate(group.subList(level.from, level.to));
                if (isWorthwhile(candidate)) {
                    candidates.add(candidate);
                }
            }
        }
        return candidates;
    }

    private boolean isMature(SplitRef split, long nowMs) {
        return split.liveCount() >= policy.splitDocsTarget()
                || split.createdAtMs() + policy.maturationMs() <= nowMs;
    }

    /** Positions in a list, {@code to} exclusive. */
    record Level(int from, int to) {}

    /** Cuts documents of splits, in the given order, into levels. */
    List<Level> levels(List<Long> docs) {
        List<Level> levels = new ArrayList<>();
        if (docs.isEmpty()) {
            return levels;
        }
        int from = 0;
        long limit = Math.max(LEVEL_RATIO * docs.get(0), policy.minLevelDocs());
        for (int i = 1; i < docs.size(); i++) {
            if (docs.get(i) >= limit) {
                levels.add(new Level(from, i));
                from = i;
                limit = LEVEL_RATIO * docs.get(i);
            }
        }
        levels.add(new Level(from, docs.size()));
        return levels;
    }

    private List<SplitRef> candidate(List<SplitRef> level) {
        List<SplitRef> candidate = new ArrayList<>();
        for (int i = level.size() - 1; i >= 0 && !isFull(candidate); i--) {
            candidate.add(level.get(i));
        }
        return candidate;
    }

    private boolean isFull(List<SplitRef> candidate) {
        return candidate.size() >= 2
                && (candidate.size() >= policy.maxMergeFactor()
                        || docs(candidate) >= policy.splitDocsTarget());
    }

    private boolean isWorthwhile(List<SplitRef> candidate) {
        return candidate.size() >= 2
                && (isFull(candidate) || candidate.size() >= policy.mergeFactor());
    }

    private static long docs(List<SplitRef> splits) {
        return splits.stream().mapToLong(SplitRef::liveCount).sum();
    }

    /** What of a candidate is merged at once, smallest first. */
    List<SplitRef> bound(List<SplitRef> candidate) {
        List<SplitRef> bounded = new ArrayList<>();
        long docs = 0;
        long bytes = 0;
        for (SplitRef split : candidate.stream().sorted(BY_SIZE).toList()) {
            if (docs + split.liveCount() > policy.maxMergeDocs()) {
                break;
            }
            if (bytes + split.sizeBytes() <= policy.maxMergeBytes()) {
                bounded.add(split);
                docs += split.liveCount();
                bytes += split.sizeBytes();
            }
        }
        return bounded.size() < 2 ? List.of() : bounded;
    }

    /** Whether a split that is not merged is rewritten alone. */
    boolean isPurged(SplitRef split) {
        // Placeholders are no burden, and would come back.
        long deleted = split.deletedCount() - split.placeholderCount();
        long docs = split.docCount() - split.placeholderCount();
        return deleted >= policy.purgeMinDeleted()
                && deleted * MILLION >= policy.purgeDeletedPpm() * docs;
    }
}
