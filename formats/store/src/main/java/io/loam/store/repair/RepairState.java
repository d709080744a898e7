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
 */
public record RepairState(
        @Nullable Ulid incarnation, long checkpoint, long tipCheckpoint, String startedFrom) {
    /** Nothing was restored. */
    public static final RepairState NONE = new RepairState(null, -1, -1, "");
}
