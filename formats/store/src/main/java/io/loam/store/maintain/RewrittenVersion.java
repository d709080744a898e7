package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.StoredObjects;
import io.loam.store.commit.CommitIo;
import io.loam.store.maintain.MaintenanceOutcome.Fate;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.object.ObjectStore.Put;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Finished work on a version that is not live; its objects are stored, and nothing is published.
 */
public final class RewrittenVersion {
    private RewrittenVersion() {}

    /** What reading and naming is done with, on behalf of a handle. */
    public static CommitIo io(CollectionHandle handle) {
        return new CommitIo(
                handle.objects(),
                handle.paths(),
                handle.rowVersions(),
                ParallelIo.inOrder(),
                () -> handle.ulids().next());
    }

    /** Stores objects that nothing names yet, so that garbage collection keeps them for a while. */
    public static void store(CollectionHandle handle, List<Put> objects) throws IOException {
        if (objects.isEmpty()) {
            return;
        }
        Ulid unit = handle.ulids().next();
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(
                        unit, unit, unit.timeMs(), objects.stream().map(Put::path).toList()));
        StoredObjects.putAll(handle.objects(), objects);
    }

    /**
     * The manifest that works make of the version a handle is pinned at.
     *
     * @throws IOException if one of them does not fit it
     */
    public static CollectionManifest of(
            CollectionHandle pinned, List<FinishedWork> works, MaintenanceOptions options)
            throws IOException {
        MaintenanceVersion version =
                MaintenanceVersion.plan(
                        works,
                        pinned.live(),
                        pinned.metastore().clockMs(),
                        0,
                        UUID.randomUUID(),
                        io(pinned),
                        options);
        for (Result result : version.results()) {
            if (result.fate() != Fate.PUBLISHED) {
                throw new IOException("version " + pinned.live().version() + ": " + result.text());
            }
        }
        store(pinned, version.objects());
        return version.manifest();
    }
}
