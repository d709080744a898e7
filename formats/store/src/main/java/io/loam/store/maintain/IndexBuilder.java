package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.StoredObjects;
import io.loam.store.maintain.FinishedWork.FinishedIndex;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.spi.BuiltIndex;
import io.loam.store.spi.IndexRequest;
import io.loam.store.spi.TooFewRowsException;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Builds a segment of an index, in its place among the rows, where no version names it yet. */
final class IndexBuilder {
    private final CollectionHandle handle;

    IndexBuilder(CollectionHandle handle) {
        this.handle = handle;
    }

    FinishedIndex run(BuildIndex task) throws IOException {
        Ulid unit = handle.ulids().next();
        long createdAtMs = handle.ulids().timeMs();
        LiveManifest live = handle.live();
        if (live.manifest().lanceVersion() == 0) {
            throw new ObsoleteTaskException(task.describe() + ": there are no rows any more");
        }
        LanceManifest rows = handle.rowVersions().read(live.manifest());
        requireThere(task, rows, live.version());
        UUID id = UUID.randomUUID();
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(
                        unit,
                        unit,
                        createdAtMs,
                        List.of(handle.paths().lanceIndex(id.toString()))));
        IndexRequest request =
                new IndexRequest(
                        id,
                        task.name(),
                        task.column(),
                        task.kind(),
                        task.vectors(),
                        task.fragmentIds(),
                        task.trained());
        BuiltIndex built;
        try {
            built = handle.rows().buildIndex(live.manifest(), handle.schema(), request);
        } catch (TooFewRowsException e) {
            throw new ObsoleteTaskException(e.getMessage());
        }
        FailPoint.MAINTENANCE_UPLOADED.reach();
        return new FinishedIndex(
                task,
                built.segment(),
                built.rows(),
                rows.version(),
                rows.nextRowId(),
                unit,
                createdAtMs);
    }

    private static void requireThere(BuildIndex task, LanceManifest rows, long version)
            throws ObsoleteTaskException {
        Set<Long> fragments =
                rows.fragments().stream().map(LanceFragment::id).collect(Collectors.toSet());
        for (long id : task.fragmentIds()) {
            if (!fragments.contains(id)) {
                throw new ObsoleteTaskException(
                        task.describe()
                                + ": version "
                                + version
                                + " has no fragment "
                                + Long.toUnsignedString(id));
            }
        }
        boolean trained =
                task.trained() == null
                        || rows.indexSegments().stream()
                                .map(LanceIndexSegment::id)
                                .anyMatch(task.trained()::equals);
        if (!trained) {
            throw new ObsoleteTaskException(
                    task.describe() + ": segment " + task.trained() + " is gone");
        }
    }
}
