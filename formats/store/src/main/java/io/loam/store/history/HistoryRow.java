package io.loam.store.history;

import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CommitKind;

import javax.annotation.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * One user action of one commit.
 *
 * @param uuid of the operation; absent when it was derived
 * @param startedAtMs start of the commit, metastore clock
 * @param files objects the action made
 * @param bytesAdded size of the splits it added
 * @param derived the writer recorded no usable operation; the actions are the difference to the
 *     parent
 */
public record HistoryRow(
        long version,
        int attempt,
        CommitKind kind,
        @Nullable UUID uuid,
        String description,
        String actor,
        long startedAtMs,
        long splitsAdded,
        long splitsRemoved,
        long liveDocsDelta,
        List<String> files,
        long bytesAdded,
        boolean derived,
        List<Action> actions) {
    public HistoryRow {
        files = List.copyOf(files);
        actions = List.copyOf(actions);
    }
}
