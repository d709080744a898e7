package io.loam.store.testing;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.metastore.PointerSwap;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Publishes versions as maintenance does: everything but the splits is carried forward. */
public final class MaintenanceCommit {
    private static final long TTL_MS = 60_000;
    private static final long MAX_AGE_MS = 600_000;

    private MaintenanceCommit() {}

    /** The version after the live one, with the same documents in other splits. */
    public static CollectionManifest child(
            LiveManifest live, List<SplitRef> splits, long createdAtMs) {
        return child(
                live, CommitKind.MAINTENANCE, splits, live.manifest().properties(), createdAtMs);
    }

    /** The version after the live one, of some kind and with some properties. */
    public static CollectionManifest child(
            LiveManifest live,
            CommitKind kind,
            List<SplitRef> splits,
            Map<String, String> properties,
            long createdAtMs) {
        CollectionManifest parent = live.manifest();
        return new CollectionManifest(
                parent.version() + 1,
                parent.version(),
                parent.collectionId(),
                parent.schemaVersion(),
                createdAtMs,
                parent.lanceVersion(),
                splits,
                parent.vectorIndexes(),
                parent.hotArtifacts(),
                parent.applied(),
                parent.liveDocCount(),
                live.path(),
                kind,
                "",
                "",
                parent.deadLettersTotal(),
                parent.skippedOffsetsTotal(),
                parent.scalarIndexes(),
                null,
                "",
                properties,
                parent.rowIdHighWater());
    }

    /** Stores a version and swaps the pointer to it, under the lease of a merge. */
    public static void publish(CollectionHandle handle, CollectionManifest manifest)
            throws IOException {
        String path = handle.paths().manifest(manifest.version(), handle.ulids().next());
        handle.objects().put(path, ManifestCodec.encode(manifest));
        String lease = TaskKeys.lease(TaskKeys.mergeSplits(manifest.collectionId()));
        long epoch = handle.metastore().acquireLease(lease, "merge", TTL_MS).epoch();
        handle.metastore()
                .swapPointer(
                        new PointerSwap(
                                handle.info().namespaceId(),
                                handle.paths().pointerKey(),
                                manifest.parentVersion(),
                                path,
                                lease,
                                epoch,
                                manifest.createdAtMs(),
                                MAX_AGE_MS));
    }
}
