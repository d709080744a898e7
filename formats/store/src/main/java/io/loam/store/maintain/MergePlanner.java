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
import java.util.function.Predicate;
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
 * full is merged if it has enough splits, and waits otherwise. A candidate of which no two splits
 * may be merged, because they are too large together, gives way to one without its largest.
 *
 * <p>Splits that are mature by their age only are cut into levels by themselves, and merged when
 * their candidate is full: otherwise a collection that is written once a day would keep every
 * commit's split for ever.
 *
 * <p>A split that is in no merge, mature ones included, is purged, which means merged alone, when
 * enough of it is deleted.
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
        for (List<SplitRef> level : levels(splits, split -> isYoung(split, nowMs))) {
            add(inputs(level, policy.mergeFactor()), plans, merged);
        }
        for (List<SplitRef> level : levels(splits, split -> isAged(split, nowMs))) {
            add(inputs(level, policy.maxMergeFactor()), plans, merged);
        }
        for (SplitRef split : splits) {
            if (!merged.contains(split.ulid()) && isPurged(split)) {
                plans.add(new MergeSplits(List.of(split.ulid())));
            }
        }
        plans.sort(Comparator.comparing(plan -> plan.inputs().get(0)));
        return plans;
    }

    private static void add(List<SplitRef> inputs, List<MergeSplits> plans, Set<Ulid> merged) {
        if (!inputs.isEmpty()) {
            MergeSplits merge = new MergeSplits(inputs.stream().map(SplitRef::ulid).toList());
            plans.add(merge);
            merged.addAll(merge.inputs());
        }
    }

    /** Levels of the chosen splits, each from the smallest split to the largest. */
    private List<List<SplitRef>> levels(List<SplitRef> splits, Predicate<SplitRef> chosen) {
        Collection<List<SplitRef>> groups =
                splits.stream()
                        .filter(chosen)
                        .sorted(BY_SIZE)
                        .collect(
                                Collectors.groupingBy(
                                        SplitRef::schemaVersion, TreeMap::new, Collectors.toList()))
                        .values();
        List<List<SplitRef>> levels = new ArrayList<>();
        for (List<SplitRef> group : groups) {
            for (Level level : levels(group.stream().map(SplitRef::liveCount).toList())) {
                levels.add(group.subList(level.from, level.to));
            }
        }
        return levels;
    }

    /**
     * What of a level is merged, none or at least two.
     *
     * @param enough splits that are merged even if they are not full
     */
    private List<SplitRef> inputs(List<SplitRef> level, int enough) {
        for (int end = level.size(); end >= 2; end--) {
            List<SplitRef> candidate = candidate(level.subList(0, end));
            if (candidate.size() < 2 || !isFull(candidate) && candidate.size() < enough) {
                break;
            }
            List<SplitRef> inputs = bound(candidate);
            if (!inputs.isEmpty()) {
                return inputs;
            }
        }
        return List.of();
    }

    private boolean isYoung(SplitRef split, long nowMs) {
        return !isLarge(split) && split.createdAtMs() + policy.maturationMs() > nowMs;
    }

    private boolean isAged(SplitRef split, long nowMs) {
        return !isLarge(split) && !isYoung(split, nowMs);
    }

    private boolean isLarge(SplitRef split) {
        return split.liveCount() >= policy.splitDocsTarget();
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
