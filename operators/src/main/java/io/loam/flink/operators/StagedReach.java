package io.loam.flink.operators;

import io.loam.codec.staged.StagedUnit;
import io.loam.store.commit.CollectionCommittable;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How far the committables of a job reach: offsets by partition, and row ids. */
final class StagedReach {
    private final Map<Integer, Long> offsets = new TreeMap<>();
    private long rowIdEnd;

    static StagedReach restored(Iterable<PartitionOffset> offsets, Iterable<Long> rowIdEnds) {
        StagedReach reach = new StagedReach();
        offsets.forEach(offset -> reach.offsets.put(offset.partition(), offset.next()));
        rowIdEnds.forEach(end -> reach.rowIdEnd = higher(reach.rowIdEnd, end));
        return reach;
    }

    void add(CollectionCommittable committable) {
        committable.progress().forEach((partition, range) -> offsets.put(partition, range.to()));
        for (StagedUnit unit : committable.units()) {
            rowIdEnd = higher(rowIdEnd, unit.firstRowId() + unit.rowCount());
        }
    }

    private static long higher(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }

    /** Empty if the source has no offsets. */
    Map<Integer, Long> offsets() {
        return offsets;
    }

    long rowIdEnd() {
        return rowIdEnd;
    }

    List<PartitionOffset> partitionOffsets() {
        return offsets.entrySet().stream()
                .map(entry -> new PartitionOffset(entry.getKey(), entry.getValue()))
                .toList();
    }
}
