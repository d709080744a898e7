package io.loam.store.commit;

import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.object.ObjectStore.Put;

import java.io.IOException;
import java.util.List;

/**
 * The row version after a commit.
 *
 * @param version the parent's when no row changed
 * @param actions what changed, starting with the version itself
 * @param puts deletion files and the version's manifest
 */
record LanceChanges(long version, List<Action> actions, List<Put> puts) {

    static LanceChanges of(
            CollectionManifest parent,
            long[] deletedRows,
            List<UnitRows> units,
            long highWater,
            CommitIo io)
            throws IOException {
        if (deletedRows.length == 0 && units.stream().allMatch(UnitRows::empty)) {
            return new LanceChanges(parent.lanceVersion(), List.of(), List.of());
        }
        throw new UnsupportedOperationException("lance slice");
    }
}
