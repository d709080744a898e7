package io.loam.store.maintain;

import io.loam.store.CollectionHandle;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;

import java.io.IOException;
import java.nio.file.Path;

/** Runs every kind of task on one collection. */
public final class CollectionTaskRunner implements TaskRunner {
    private final CollectionHandle handle;
    private final MaintenanceOptions options;
    private final Path workDir;

    /**
     * @param workDir exists; files are built in directories of their own below it
     */
    public CollectionTaskRunner(CollectionHandle handle, MaintenanceOptions options, Path workDir) {
        this.handle = handle;
        this.options = options;
        this.workDir = workDir;
    }

    @Override
    public FinishedWork run(MaintenanceTask task) throws IOException {
        if (task instanceof MergeSplits merge) {
            return new SplitMerger(handle, options, workDir).run(merge);
        }
        if (task instanceof CompactFragments compact) {
            return new FragmentCompactor(handle, workDir).run(compact);
        }
        if (task instanceof BuildIndex index) {
            return new IndexBuilder(handle).run(index);
        }
        if (task instanceof BuildHot hot) {
            return new HotBuilder(handle, workDir).run(hot);
        }
        throw new IllegalArgumentException("nobody can " + task.describe());
    }
}
