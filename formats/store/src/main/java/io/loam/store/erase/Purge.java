package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.FinishedWork.Clean;
import io.loam.store.maintain.FinishedWork.ErasureStep;
import io.loam.store.maintain.FinishedWork.FinishedIndex;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.maintain.TaskResult;
import io.loam.store.metastore.Tag;
import io.loam.store.object.ObjectInfo;
import io.loam.store.tag.Tags;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/**
 * Writes anew what holds erased documents, and then publishes the version that releases all before
 * it:
 *
 * <pre>
 * 1  indexes and hot graphs that were never published are deleted
 * 2  data files and splits of the live version that hold deleted documents of the erasure are
 *    written anew, until there are none
 * 3  indexes are built anew: their centroids and codes are made of vectors, deleted ones too
 * 4  the release: takes away index segments that were not built in step 3 and all hot artifacts
 * </pre>
 *
 * All under the leases of side jobs: a merge that was begun before the documents were deleted could
 * otherwise be published after them, with the documents in it. Jobs that apply go on; a version of
 * theirs that comes between is looked through, too. Starting again does no harm.
 */
final class Purge {
    /** An apply commit may come between a look and the release, but hardly this often. */
    private static final int MOST_ROUNDS = 100;

    private final CollectionHandle handle;
    private final ErasureRequest request;
    private final MaintenanceOptions options;
    private final CollectionTaskRunner runner;
    private final PurgeScan scan;
    private final Set<UUID> indexes = new HashSet<>();
    private boolean indexed;

    Purge(
            CollectionHandle handle,
            ErasureRequest request,
            ErasedKeys keys,
            MaintenanceOptions options,
            Path workDir) {
        this.handle = handle;
        this.request = request;
        this.options = options;
        this.runner = new CollectionTaskRunner(handle, options, workDir);
        this.scan = new PurgeScan(handle, keys);
    }

    /**
     * Purges and releases; returns the version that releases, which may have been there before.
     *
     * @param leases of all kinds of side jobs
     */
    long run(RoundLeases leases) throws IOException {
        try (MaintenanceCommitter committer =
                new MaintenanceCommitter(handle, options, leases.fence())) {
            long nowMs = handle.metastore().clockMs();
            List<ObjectInfo> listed = handle.objects().list(handle.paths().root());
            List<Link> chain = ManifestChain.of(handle).retained();
            OptionalLong before = released(chain);
            if (before.isPresent()) {
                return before.getAsLong();
            }
            deleteStrays(listed, chain, nowMs);
            for (int round = 0; round < MOST_ROUNDS; round++) {
                LiveManifest live = handle.live();
                List<MaintenanceTask> tasks = scan.tasks(live.manifest());
                if (!tasks.isEmpty()) {
                    purge(tasks, committer);
                } else if (!indexed) {
                    buildIndexes(committer);
                } else {
                    FailPoint.ERASURE_PURGED.reach();
                    MaintenanceOutcome release =
                            publish(List.of(step(scan.clean(indexes))), committer);
                    if (release.isComplete()) {
                        return release.version();
                    }
                }
            }
        }
        throw new IOException(
                "erasure "
                        + request.id()
                        + ": other commits came first again and again; go on with it later");
    }

    /**
     * Deletes indexes and hot graphs that others began to build and did not publish. They never
     * will: they did it under leases that are taken from them now. They may be made of the
     * documents, which nobody could tell by looking at them.
     */
    private void deleteStrays(List<ObjectInfo> listed, List<Link> chain, long nowMs)
            throws IOException {
        List<CollectionManifest> versions = new ArrayList<>();
        chain.forEach(link -> versions.add(link.manifest()));
        Tags tags = new Tags(handle);
        for (Tag tag : tags.standing()) {
            versions.add(tags.open(tag));
        }
        StrayArtifacts.find(handle, listed, versions).delete(timeMs -> timeMs < nowMs);
    }

    /** The version of an earlier attempt that releases history. */
    private OptionalLong released(List<Link> chain) {
        return chain.stream()
                .filter(
                        link ->
                                request.id()
                                        .toString()
                                        .equals(
                                                link.manifest()
                                                        .properties()
                                                        .get(ManifestProperties.RELEASES_HISTORY)))
                .mapToLong(Link::version)
                .findFirst();
    }

    private void purge(List<MaintenanceTask> tasks, MaintenanceCommitter committer)
            throws IOException {
        List<FinishedWork> works = new ArrayList<>();
        for (MaintenanceTask task : tasks) {
            FinishedWork work = run(task);
            if (work != null) {
                works.add(work);
            }
        }
        if (!works.isEmpty()) {
            works.add(step(null));
            publish(works, committer);
            works.forEach(scan::built);
        }
    }

    private void buildIndexes(MaintenanceCommitter committer) throws IOException {
        List<FinishedWork> works = new ArrayList<>();
        for (BuildIndex task : new MaintenancePlanner(options).indexesAnew(handle)) {
            FinishedWork work = run(task);
            if (work != null) {
                works.add(work);
            }
        }
        if (!works.isEmpty()) {
            works.add(step(null));
            publish(works, committer);
            works.stream()
                    .filter(FinishedIndex.class::isInstance)
                    .forEach(work -> indexes.add(((FinishedIndex) work).segment().id()));
        }
        indexed = true;
    }

    /** Null if the task is obsolete: the next look tells what there is to do instead. */
    @Nullable
    private FinishedWork run(MaintenanceTask task) throws IOException {
        TaskResult result = TaskResult.of(task, runner);
        if (result.work() == null && !result.obsolete()) {
            throw new IOException(task.describe() + ": " + result.problem());
        }
        return result.work();
    }

    private ErasureStep step(@Nullable Clean clean) {
        Ulid unit = handle.ulids().next();
        return new ErasureStep(request.id(), request.offsets(), clean, unit, unit.timeMs());
    }

    private MaintenanceOutcome publish(List<FinishedWork> works, MaintenanceCommitter committer)
            throws IOException {
        MaintenanceOutcome outcome = committer.publish(works);
        for (MaintenanceOutcome.Result result : outcome.works()) {
            if (result.fate() == MaintenanceOutcome.Fate.BLOCKED) {
                throw new IOException("erasure " + request.id() + ": " + result.text());
            }
        }
        return outcome;
    }
}
