package io.loam.flink.connector;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceLease;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Another process that maintains a collection: it makes one split of all, and changes no row. */
final class Maintenance {
    private static final MaintenanceOptions OPTIONS = MaintenanceOptions.of("maintenance");

    private final CollectionHandle handle;
    private final Path directory;

    Maintenance(CollectionHandle handle, Path directory) {
        this.handle = handle;
        this.directory = directory;
    }

    /** Publishes a version of the same rows in one split. */
    CollectionManifest merge() throws IOException {
        List<SplitRef> splits = handle.live().manifest().splits();
        FinishedWork merged =
                new CollectionTaskRunner(handle, OPTIONS, directory)
                        .run(new MergeSplits(splits.stream().map(SplitRef::ulid).toList()));
        String lease = TaskKeys.lease(TaskKeys.mergeSplits(handle.info().id()));
        try (MaintenanceLease held =
                        MaintenanceLease.acquire(handle.metastore(), lease, OPTIONS).orElseThrow();
                MaintenanceCommitter committer = new MaintenanceCommitter(handle, OPTIONS, held)) {
            assertThat(committer.publish(List.of(merged)).isComplete()).isTrue();
        }
        return handle.live().manifest();
    }
}
