package io.loam.store.maintain;

import io.loam.codec.lance.LanceManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
        if (options.compaction().enabled() && live.manifest().lanceVersion() != 0) {
            LanceManifest rows =
                    RowVersions.read(handle.objects(), handle.paths(), live.manifest());
            tasks.addAll(new CompactionPlanner(options.compaction()).plan(rows.compactable()));
        }
        return tasks;
    }
}
