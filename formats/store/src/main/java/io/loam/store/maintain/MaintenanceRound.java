package io.loam.store.maintain;

import io.loam.store.CollectionHandle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One pass of side jobs over one collection, in this process: takes the leases, plans, does one
 * task after the other, publishes all that got done in one version. A task that fails is a line of
 * the report and keeps no other from being published.
 */
public final class MaintenanceRound {
    private final CollectionHandle handle;
    private final MaintenanceOptions options;
    private final TaskRunner runner;

    /**
     * @param workDir for files being built, exists; nothing of it is left afterwards
     */
    public MaintenanceRound(CollectionHandle handle, MaintenanceOptions options, Path workDir) {
        this(handle, options, new CollectionTaskRunner(handle, options, workDir));
    }

    MaintenanceRound(CollectionHandle handle, MaintenanceOptions options, TaskRunner runner) {
        this.handle = handle;
        this.options = options;
        this.runner = runner;
    }

    /**
     * @throws IOException if leases, plan or commit failed; whatever was done and not published is
     *     left to garbage collection
     */
    public RoundReport run() throws IOException {
        long collection = handle.info().id();
        try (RoundLeases leases = RoundLeases.acquire(handle, options).extended()) {
            if (leases.isEmpty()) {
                return new RoundReport(0, List.of(), leases.held());
            }
            List<TaskResult> results = new ArrayList<>();
            for (MaintenanceTask task : new MaintenancePlanner(options).plan(handle)) {
                if (leases.allow(task, collection)) {
                    results.add(TaskResult.of(task, runner));
                }
            }
            return RoundReport.of(results, publish(results, leases), leases.held());
        }
    }

    private MaintenanceOutcome publish(List<TaskResult> results, RoundLeases leases)
            throws IOException {
        List<FinishedWork> works =
                results.stream().map(TaskResult::work).filter(Objects::nonNull).toList();
        if (works.isEmpty()) {
            return MaintenanceOutcome.NOTHING;
        }
        try (MaintenanceCommitter committer =
                new MaintenanceCommitter(handle, options, leases.fence())) {
            return committer.publish(works);
        }
    }
}
