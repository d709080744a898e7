package io.loam.store.maintain;

import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.VectorIndexRef;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.maintain.IndexPlanner.Indexed;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.spi.IndexKind;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Finds what there is to do on a collection. */
public final class MaintenancePlanner {
    private final MaintenanceOptions options;

    public MaintenancePlanner(MaintenanceOptions options) {
        this.options = options;
    }

    /** The tasks of one round on the live version, none of which touches what another does. */
    public List<MaintenanceTask> plan(CollectionHandle handle) throws IOException {
        long nowMs = handle.metastore().clockMs();
        LiveManifest live = handle.live();
        List<MaintenanceTask> tasks = new ArrayList<>();
        tasks.addAll(new MergePlanner(options.merge()).plan(live.manifest().splits(), nowMs));
        boolean rowsMatter = options.compaction().enabled() || options.index().enabled();
        if (rowsMatter && live.manifest().lanceVersion() != 0) {
            LanceManifest rows = handle.rowVersions().read(live.manifest());
            tasks.addAll(new CompactionPlanner(options.compaction()).plan(rows.compactable()));
            Indexed indexed =
                    new Indexed(rows.fragments(), rows.indexSegments(), kinds(live.manifest()));
            tasks.addAll(new IndexPlanner(options.index()).plan(handle.schema(), indexed));
        }
        tasks.addAll(new HotPlanner(options.hot()).plan(handle, live, nowMs));
        return tasks;
    }

    /**
     * Builds every index of the live version anew, in the place of all its segments. The policy's
     * least rows do not matter: whoever built it had rows enough by another one.
     */
    public List<BuildIndex> indexesAnew(CollectionHandle handle) throws IOException {
        LiveManifest live = handle.live();
        if (live.manifest().lanceVersion() == 0) {
            return List.of();
        }
        LanceManifest rows = handle.rowVersions().read(live.manifest());
        Indexed bare = new Indexed(rows.fragments(), List.of(), Map.of());
        List<BuildIndex> tasks = new ArrayList<>();
        for (BuildIndex task :
                new IndexPlanner(options.index().withoutLeast()).plan(handle.schema(), bare)) {
            List<UUID> segments =
                    rows.indexSegments().stream()
                            .filter(segment -> segment.name().equals(task.name()))
                            .map(LanceIndexSegment::id)
                            .toList();
            if (!segments.isEmpty()) {
                tasks.add(
                        new BuildIndex(
                                task.name(),
                                task.column(),
                                task.vectorName(),
                                task.kind(),
                                task.vectors(),
                                task.fragmentIds(),
                                segments,
                                null));
            }
        }
        return tasks;
    }

    private static Map<UUID, IndexKind> kinds(CollectionManifest manifest) {
        Map<UUID, IndexKind> kinds = new HashMap<>();
        for (VectorIndexRef index : manifest.vectorIndexes()) {
            for (IndexKind kind : IndexKind.values()) {
                if (index.kind() == kind.reference()) {
                    kinds.put(UUID.fromString(index.uuid()), kind);
                }
            }
        }
        manifest.scalarIndexes()
                .forEach(index -> kinds.put(UUID.fromString(index.uuid()), IndexKind.BTREE));
        return kinds;
    }
}
