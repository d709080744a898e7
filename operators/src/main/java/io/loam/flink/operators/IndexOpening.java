package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.PkDelta;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.repair.IndexRebuild;
import io.loam.store.repair.IndexRepair;
import io.loam.store.repair.RepairPlan;
import io.loam.store.repair.RepairState;
import io.loam.store.repair.RepairState.Snapshot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Brings a restored key index in line with the collection before any operation is resolved. Every
 * subtask reads the same deltas, and keeps those it owns; a scan of all keys is shared by the
 * subtasks of a process.
 *
 * @param repairedTo commit id the index was brought to, null if it stands as restored
 * @param tip last checkpoint at which something was emitted, -1 for none since {@code startedFrom}
 * @param startedFrom what the next snapshot says the index began at
 * @param inherited what the next snapshot says the index was taken over from
 * @param rebuildMs how long the scan took, 0 for none
 */
record IndexOpening(
        @Nullable String repairedTo,
        long tip,
        String startedFrom,
        @Nullable Snapshot inherited,
        long rebuildMs) {
    private static final Logger LOG = LoggerFactory.getLogger(IndexOpening.class);

    static IndexOpening open(
            CollectionHandle collection,
            Ulid incarnation,
            RepairState restored,
            KeyedIndex index,
            UncommittedUnits uncommitted)
            throws IOException {
        RepairPlan plan = IndexRepair.plan(collection, restored);
        String base = plan.base();
        if (plan instanceof RepairPlan.Keep) {
            return incarnation.equals(restored.incarnation())
                    ? new IndexOpening(
                            null,
                            restored.tipCheckpoint(),
                            restored.startedFrom(),
                            restored.inherited(),
                            0)
                    : new IndexOpening(null, -1, base, restored.takenOver(), 0);
        }
        if (plan instanceof RepairPlan.Replay replay) {
            LOG.info("replaying {} key deltas up to commit {}", replay.deltas().size(), base);
            for (PkDelta delta : replay.deltas()) {
                apply(delta, index);
                FailPoint.REPAIR_DELTA.reach();
            }
            return new IndexOpening(base, -1, base, null, 0);
        }
        return new IndexOpening(
                base,
                -1,
                base,
                null,
                rebuild(
                        collection,
                        incarnation,
                        ((RepairPlan.Rebuild) plan).live(),
                        index,
                        uncommitted));
    }

    private static void apply(PkDelta delta, KeyedIndex index) throws IOException {
        for (PkDelta.Entry entry : delta.entries()) {
            if (index.owns(entry.key())) {
                index.put(entry.key(), entry.rowId());
            }
        }
    }

    /** What subtasks have in common that may read for each other. */
    private record Version(long collection, Ulid incarnation, long rows) {}

    private static long rebuild(
            CollectionHandle collection,
            Ulid incarnation,
            CollectionManifest live,
            KeyedIndex index,
            UncommittedUnits uncommitted)
            throws IOException {
        long started = System.nanoTime();
        index.clear();
        uncommitted.clear();
        long rows;
        try (IndexRebuild keys = IndexRebuild.of(collection, live)) {
            rows =
                    SharedScan.run(
                            new Version(live.collectionId(), incarnation, live.lanceVersion()),
                            index.subtask(),
                            index.subtasks(),
                            index::ownerOf,
                            keys::scan,
                            (key, rowId) -> {
                                index.put(key, rowId);
                                FailPoint.REBUILD_KEY.reach();
                            });
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
        LOG.info(
                "rebuilt the key index from version {} in {} ms; {} of its rows were read here",
                live.version(),
                tookMs,
                rows);
        return tookMs;
    }
}
