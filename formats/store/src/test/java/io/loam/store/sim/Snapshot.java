package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.repair.RepairState;

import java.util.List;
import java.util.Map;

/** What a completed checkpoint holds, all of it immutable. */
record Snapshot(
        Ulid incarnation,
        long checkpoint,
        List<Subtask> subtasks,
        List<String> lineage,
        Map<Integer, Long> positions,
        List<StagedFile> uncommitted,
        List<CollectionCommittable> pending) {

    /** State of one staging subtask. */
    record Subtask(Map<PrimaryKey, Long> index, long tip, String startedFrom) {}

    /** A unit whose rows may not be in any version yet. */
    record StagedFile(String dataFile, long firstRow, long rows) {
        boolean holds(long row) {
            return row >= firstRow && row < firstRow + rows;
        }
    }

    /** What all subtasks know together. */
    RepairState repairState() {
        long tip = subtasks.stream().mapToLong(Subtask::tip).max().orElse(-1);
        return new RepairState(
                incarnation, checkpoint, tip, subtasks.get(subtasks.size() - 1).startedFrom());
    }
}
