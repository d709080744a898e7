package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.RowIdSet;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.LocalFiles;
import io.loam.store.StoredObjects;
import io.loam.store.hot.HotUpload;
import io.loam.store.maintain.FinishedWork.FinishedHot;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.HotGraphBuilder;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Builds the hot graph of a vector from all live rows, on local disk, and uploads it. */
final class HotBuilder {
    private static final Projection VECTORS = new Projection(false, false, true);

    private final CollectionHandle handle;
    private final Path workDir;

    HotBuilder(CollectionHandle handle, Path workDir) {
        this.handle = handle;
        this.workDir = workDir;
    }

    FinishedHot run(BuildHot task) throws IOException {
        HotEngine engine =
                handle.hotEngine()
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "nothing on the class path builds hot graphs; add"
                                                        + " the module loam-hnsw"));
        Ulid unit = handle.ulids().next();
        long createdAtMs = handle.ulids().timeMs();
        LiveManifest live = handle.live();
        if (live.manifest().lanceVersion() == 0) {
            throw new ObsoleteTaskException(task.describe() + ": there are no rows any more");
        }
        String prefix =
                handle.paths().hotArtifact(task.column(), live.version(), handle.ulids().next());
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(unit, unit, createdAtMs, List.of(prefix)));
        Path directory = Files.createDirectories(workDir.resolve(unit.toString()));
        HotDescriptor descriptor;
        try {
            descriptor = build(engine, task, live, prefix, createdAtMs, directory);
        } finally {
            LocalFiles.delete(directory);
        }
        FailPoint.MAINTENANCE_UPLOADED.reach();
        return new FinishedHot(
                task, prefix, live.version(), descriptor.points(), unit, createdAtMs);
    }

    private HotDescriptor build(
            HotEngine engine,
            BuildHot task,
            LiveManifest live,
            String prefix,
            long createdAtMs,
            Path directory)
            throws IOException {
        Vector vector = handle.schema().vectors().get(task.position());
        HotDescriptor.Spec spec = HotDescriptor.Spec.of(vector);
        RowIdSet scanned = new RowIdSet();
        long points;
        try (HotGraphBuilder graph = engine.newGraph(directory, spec)) {
            points = fill(graph, live, task.vectorName(), scanned);
            graph.finish();
        }
        long nextRowId = handle.rowVersions().read(live.manifest()).nextRowId();
        return new HotUpload(handle.objects(), prefix)
                .store(
                        directory,
                        scanned,
                        (files, stored) ->
                                new HotDescriptor(
                                        engine.name(),
                                        handle.info().id(),
                                        task.column(),
                                        task.vectorName(),
                                        spec,
                                        live.version(),
                                        live.manifest().lanceVersion(),
                                        nextRowId,
                                        points,
                                        scanned.count(),
                                        files,
                                        stored.coveredBytes(),
                                        stored.coveredCrc32c(),
                                        stored.chunkBytes(),
                                        createdAtMs));
    }

    private long fill(HotGraphBuilder graph, LiveManifest live, String vector, RowIdSet scanned)
            throws IOException {
        long points = 0;
        try (RowSnapshot rows = handle.rows().open(live.manifest(), handle.schema());
                RowCursor cursor = rows.scan(VECTORS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                scanned.add(row.rowId());
                float[] value = row.vectors().get(vector);
                if (value != null) {
                    graph.add(row.rowId(), value);
                    points++;
                }
            }
        }
        return points;
    }
}
