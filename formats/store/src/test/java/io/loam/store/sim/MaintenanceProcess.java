package io.loam.store.sim;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.gc.GcOptions;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceLease;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.object.ParallelIo;
import io.loam.store.testing.MaintenanceCommit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.loam.store.sim.Violation.require;

/**
 * Merges splits, by the policy and at random, and sometimes publishes a version that changes
 * nothing, as an index build does. What it has built may lie about for long, also beyond the next
 * round, before it is published, or be forgotten, as by a process that died.
 */
final class MaintenanceProcess {
    private static final MergePolicy POLICY =
            MergePolicy.DEFAULT.withFactors(2, 4).withLevels(2, 1_000).withPurge(1, 300_000);

    private final World world;
    private final MaintenanceOptions options;
    private final List<FinishedWork> built = new ArrayList<>();

    MaintenanceProcess(World world, String owner) {
        this.world = world;
        this.options = MaintenanceOptions.of(owner).withMerge(POLICY).withRowsPerRead(3);
    }

    void run() {
        while (true) {
            world.scheduler.sleep(1 + world.random.nextInt(80_000));
            try {
                round(world.openForMaintenance());
            } catch (IOException e) {
                world.scheduler.note("  fails: " + e.getMessage());
            }
        }
    }

    private void round(CollectionHandle handle) throws IOException {
        String key = TaskKeys.lease(TaskKeys.mergeSplits(world.info.id()));
        Optional<MaintenanceLease> lease =
                MaintenanceLease.acquire(handle.metastore(), key, options);
        if (lease.isEmpty()) {
            return;
        }
        if (world.random.nextInt(4) == 0) {
            bare(handle, lease.get());
            return;
        }
        for (MaintenanceTask task : tasks(handle)) {
            built.add(new CollectionTaskRunner(handle, options, world.dir).run(task));
        }
        if (world.random.nextInt(3) == 0) {
            world.scheduler.sleep(1 + world.random.nextInt(7_200_000));
        }
        switch (world.random.nextInt(8)) {
            case 0 -> built.clear();
            case 1 -> world.scheduler.note("  keeps " + built.size());
            default -> publish(handle, lease.get());
        }
    }

    private List<MaintenanceTask> tasks(CollectionHandle handle) throws IOException {
        List<SplitRef> splits = handle.live().manifest().splits();
        if (splits.isEmpty() || world.random.nextInt(3) > 0) {
            return new MaintenancePlanner(options).plan(handle);
        }
        int first = world.random.nextInt(splits.size());
        int end = Math.min(splits.size(), first + 1 + world.random.nextInt(3));
        List<Ulid> inputs = splits.subList(first, end).stream().map(SplitRef::ulid).toList();
        return List.of(new MergeSplits(inputs));
    }

    private void publish(CollectionHandle handle, MaintenanceLease lease) throws IOException {
        MaintenanceOutcome outcome;
        try (MaintenanceCommitter committer =
                new MaintenanceCommitter(
                        handle, options, lease, ParallelIo.inOrder(), world.scheduler::sleep)) {
            outcome = committer.publish(built);
        }
        built.clear();
        for (MaintenanceOutcome.Result result : outcome.works()) {
            world.scheduler.note("  " + result.fate() + ": " + result.text());
            require(
                    !result.text().contains("is gone"),
                    "the collector took what a merge had announced: " + result.text());
        }
        require(
                outcome.version() <= world.oracle.live().version(),
                "version " + outcome.version() + " is said to be published");
    }

    private void bare(CollectionHandle handle, MaintenanceLease lease) throws IOException {
        long startedMs = handle.metastore().clockMs();
        LiveManifest live = handle.live();
        if (live.version() == 0) {
            return;
        }
        CollectionManifest child =
                MaintenanceCommit.child(live, live.manifest().splits(), startedMs);
        String path = handle.paths().manifest(child.version(), handle.ulids().next(startedMs));
        handle.objects().put(path, ManifestCodec.encode(child));
        handle.metastore()
                .swapPointer(
                        new PointerSwap(
                                world.info.namespaceId(),
                                handle.paths().pointerKey(),
                                live.version(),
                                path,
                                lease.key(),
                                lease.epoch(),
                                startedMs,
                                GcOptions.LONGEST_COMMIT_MS));
    }
}
