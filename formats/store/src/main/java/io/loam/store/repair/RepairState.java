package io.loam.store.repair;

import io.loam.codec.Ulid;

import javax.annotation.Nullable;

/**
 * What a restored key index knows about itself.
 *
 * @param incarnation that wrote the snapshot; null when there is no restored state
 * @param checkpoint of the snapshot
 * @param tipCheckpoint last checkpoint at which any subtask staged something, -1 for none since the
 *     index was last built or repaired
 * @param startedFrom commit id the index was last built or repaired at; empty for no commit
 * @param inherited the snapshot the index was taken over from as it stood, by another incarnation
 *     than {@code incarnation}; its last commits may have been published only afterwards. Null if
 *     it was built or repaired since
 */
public record RepairState(
        @Nullable Ulid incarnation,
        long checkpoint,
        long tipCheckpoint,
        String startedFrom,
        @Nullable Snapshot inherited) {
    /** Nothing was restored. */
    public static final RepairState NONE = new RepairState(null, -1, -1, "");

    /** Whose snapshot an index came from. */
    public record Snapshot(Ulid incarnation, long checkpoint) {}

    /** Of an index that its incarnation built or repaired itself. */
    public RepairState(
            @Nullable Ulid incarnation, long checkpoint, long tipCheckpoint, String startedFrom) {
        this(incarnation, checkpoint, tipCheckpoint, startedFrom, null);
    }

    /**
     * What an incarnation that keeps this index as it stands inherits: the snapshot of the last one
     * that staged something.
     */
    public Snapshot takenOver() {
        return tipCheckpoint < 0 && inherited != null
                ? inherited
                : new Snapshot(incarnation, checkpoint);
    }
}
