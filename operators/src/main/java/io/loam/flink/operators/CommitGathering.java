package io.loam.flink.operators;

import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.store.commit.OffsetRange;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Gathers what the subtasks staged for one checkpoint, and what they report about their indexes
 * after they were opened.
 */
final class CommitGathering {
    private final Map<Integer, StageReport> reports = new TreeMap<>();
    private final Map<Integer, List<OffsetRange>> progress = new TreeMap<>();
    private List<StagedUnit> units = new ArrayList<>();

    void add(CollectionElement element) {
        if (element instanceof Unit unit) {
            units.add(unit.unit());
        } else if (element instanceof Progress marker) {
            progress.computeIfAbsent(marker.partition(), any -> new ArrayList<>())
                    .add(marker.range());
        } else if (element instanceof StageReport report) {
            reports.put(report.subtask(), report);
        } else {
            throw new IllegalStateException(
                    "nothing to gather from a " + element.getClass().getSimpleName());
        }
    }

    boolean isEmpty() {
        return units.isEmpty() && progress.isEmpty();
    }

    /** Whether every subtask has reported. */
    boolean isReported() {
        return !reports.isEmpty()
                && reports.size() == reports.values().iterator().next().parallelism();
    }

    /**
     * Commit id that the indexes were repaired to, or nothing if they stand as they were restored.
     *
     * @throws IllegalStateException unless all subtasks reported the same
     */
    Optional<String> agreement() {
        if (!isReported()) {
            throw new IllegalStateException(
                    "units were staged, but only subtasks "
                            + reports.keySet()
                            + " have reported what their indexes stand on");
        }
        List<Optional<String>> answers =
                reports.values().stream()
                        .map(report -> Optional.ofNullable(report.repairedTo()))
                        .distinct()
                        .toList();
        if (answers.size() > 1) {
            throw new IllegalStateException(
                    "the subtasks' key indexes stand on different commits, as one was published"
                            + " while they were opened: "
                            + reports.values()
                            + "; a restart repairs them");
        }
        return answers.get(0);
    }

    /** Takes the units of the checkpoint. */
    List<StagedUnit> takeUnits() {
        List<StagedUnit> taken = units;
        units = new ArrayList<>();
        requireOneBase(taken);
        return taken;
    }

    private static void requireOneBase(List<StagedUnit> units) {
        List<Long> bases =
                units.stream()
                        .filter(unit -> unit.rowCount() > 0)
                        .map(StagedUnit::rowIdBase)
                        .distinct()
                        .toList();
        if (bases.size() > 1) {
            throw new IllegalStateException(
                    "units of one checkpoint were numbered from different bases: " + bases);
        }
    }

    /** Takes the progress of the checkpoint, one range for each partition. */
    Map<Integer, OffsetRange> takeProgress() {
        Map<Integer, OffsetRange> joined = new TreeMap<>();
        progress.forEach((partition, ranges) -> joined.put(partition, join(partition, ranges)));
        progress.clear();
        return joined;
    }

    private static OffsetRange join(int partition, List<OffsetRange> ranges) {
        ranges.sort(Comparator.comparingLong(OffsetRange::from));
        OffsetRange joined = ranges.get(0);
        for (OffsetRange next : ranges.subList(1, ranges.size())) {
            if (next.from() != joined.to()) {
                throw new IllegalStateException(
                        "progress of partition "
                                + partition
                                + " does not join: "
                                + joined
                                + " and "
                                + next);
            }
            joined = new OffsetRange(joined.from(), next.to(), joined.skipped() + next.skipped());
        }
        return joined;
    }
}
