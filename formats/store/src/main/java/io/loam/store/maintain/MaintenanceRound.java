package io.loam.store.maintain;

import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.maintain.RoundReport.TaskReport;
import io.loam.store.metastore.Lease;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One pass of side jobs over one collection, in this process: takes the leases, plans, does one
 * task after the other, publishes all that got done in one version. A task that fails is a line of
 * the report and keeps no other from being published.
 */
public final class MaintenanceRound {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceRound.class);

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
        List<String> held = new ArrayList<>();
        try (Leases leases = new Leases(held)) {
            if (leases.isEmpty()) {
                return new RoundReport(0, List.of(), held);
            }
            List<MaintenanceTask> tasks =
                    new MaintenancePlanner(options)
                            .plan(handle).stream().filter(leases::allow).toList();
            return run(tasks, leases, held);
        }
    }

    private RoundReport run(List<MaintenanceTask> tasks, Leases leases, List<String> held)
            throws IOException {
        TaskReport[] reports = new TaskReport[tasks.size()];
        List<FinishedWork> works = new ArrayList<>();
        List<Integer> taskOfWork = new ArrayList<>();
        for (int i = 0; i < reports.length; i++) {
            MaintenanceTask task = tasks.get(i);
            try {
                works.add(runner.run(task));
                taskOfWork.add(i);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (ObsoleteTaskException e) {
                reports[i] = new TaskReport(task, Status.ABANDONED, e.getMessage());
            } catch (IOException | RuntimeException e) {
                LOG.warn("{} failed", task.describe(), e);
                reports[i] = new TaskReport(task, Status.FAILED, e.toString());
            }
        }
        long version = 0;
        if (!works.isEmpty()) {
            MaintenanceOutcome outcome;
            try (MaintenanceCommitter committer =
                    new MaintenanceCommitter(handle, options, leases.fence())) {
                outcome = committer.publish(works);
            }
            version = outcome.version();
            for (int i = 0; i < works.size(); i++) {
                int task = taskOfWork.get(i);
                reports[task] = report(tasks.get(task), outcome.works().get(i));
            }
        }
        return new RoundReport(version, Arrays.asList(reports), held);
    }

    private static TaskReport report(MaintenanceTask task, Result result) {
        Status status =
                switch (result.fate()) {
                    case PUBLISHED -> Status.PUBLISHED;
                    case ABANDONED -> Status.ABANDONED;
                    case BLOCKED -> Status.BLOCKED;
                };
        return new TaskReport(task, status, result.text());
    }

    /** The leases of what is on and nobody else does; kept until closed. */
    private final class Leases implements AutoCloseable {
        private final List<MaintenanceLease> taken = new ArrayList<>();
        private boolean merge;
        private boolean compact;
        private boolean index;

        Leases(List<String> held) throws IOException {
            long collection = handle.info().id();
            merge = options.merge().enabled() && take(TaskKeys.mergeSplits(collection), held);
            try {
                compact =
                        options.compaction().enabled() && take(TaskKeys.compact(collection), held);
                index = options.index().enabled() && take(TaskKeys.buildIndexes(collection), held);
            } catch (IOException e) {
                close();
                throw e;
            }
        }

        private boolean take(String task, List<String> held) throws IOException {
            String key = TaskKeys.lease(task);
            Optional<MaintenanceLease> lease =
                    MaintenanceLease.acquire(handle.metastore(), key, options);
            if (lease.isPresent()) {
                taken.add(lease.get().extended());
                return true;
            }
            Optional<Lease> other = handle.metastore().lease(key);
            held.add(
                    "the lease "
                            + key
                            + " is held by "
                            + other.map(Lease::owner).orElse("nobody any more")
                            + other.map(o -> " until " + Instant.ofEpochMilli(o.expiresAtMs()))
                                    .orElse(""));
            return false;
        }

        boolean isEmpty() {
            return taken.isEmpty();
        }

        boolean allow(MaintenanceTask task) {
            return task instanceof MergeSplits
                    ? merge
                    : task instanceof BuildIndex ? index : compact;
        }

        MaintenanceLease fence() {
            return taken.get(0);
        }

        @Override
        public void close() {
            taken.forEach(MaintenanceLease::close);
        }
    }
}
