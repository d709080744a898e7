package io.loam.store.maintain;

import io.loam.codec.manifest.Action;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.store.commit.CommitIo;
import io.loam.store.hot.HotObjects;
import io.loam.store.maintain.FinishedWork.FinishedHot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Fits built hot graphs to a parent:
 *
 * <pre>
 * its artifact is there already             published before, and the answer was lost
 * one of a newer version is                 abandoned
 * its objects are gone, or the work is old  abandoned
 * otherwise                                 it takes the place of the column's entry
 * </pre>
 *
 * Whatever was deleted or inserted since is found by those who search: a graph knows rows by their
 * ids, and which of them are live is the version's business.
 */
final class HotRebase implements WorkPlanner<FinishedHot> {
    private final CommitIo io;
    private final long longestMs;

    /**
     * @param longestMs age at which work is abandoned
     */
    HotRebase(CommitIo io, long longestMs) {
        this.io = io;
        this.longestMs = longestMs;
    }

    @Override
    public List<WorkPlan> plan(List<FinishedHot> works, CollectionManifest parent, long startedMs)
            throws IOException {
        List<WorkPlan> plans = new ArrayList<>();
        for (FinishedHot work : works) {
            plans.add(plan(work, parent, startedMs));
        }
        return plans;
    }

    private WorkPlan plan(FinishedHot work, CollectionManifest parent, long startedMs)
            throws IOException {
        Optional<HotArtifactRef> there = parent.hotArtifact(work.task().column());
        if (there.isPresent() && there.get().prefix().equals(work.prefix())) {
            return new WorkPlan.AlreadyPublished("built " + work.prefix() + " before");
        }
        boolean newer =
                there.isPresent()
                        && Long.compareUnsigned(there.get().sourceVersion(), work.sourceVersion())
                                > 0;
        if (newer) {
            return new WorkPlan.Abandoned(
                    "another graph of version "
                            + there.get().sourceVersion()
                            + " was published, this is of version "
                            + work.sourceVersion());
        }
        if (parent.lanceVersion() == 0) {
            return new WorkPlan.Abandoned("there are no rows any more");
        }
        if (startedMs - work.createdAtMs() > longestMs) {
            return WorkPlan.Abandoned.tooOld(work, startedMs, longestMs);
        }
        String descriptor = new HotObjects(io.objects(), work.prefix()).descriptorPath();
        if (io.objects().stat(descriptor).isEmpty()) {
            return new WorkPlan.Abandoned(descriptor + " is gone");
        }
        HotArtifactRef artifact =
                new HotArtifactRef(
                        HotObjects.KIND, work.task().column(), work.prefix(), work.sourceVersion());
        return new WorkPlan.Change(
                "hot graph for "
                        + work.task().column()
                        + " ("
                        + work.points()
                        + " points of version "
                        + work.sourceVersion()
                        + ")",
                List.of(new Action.SetHotArtifact(artifact)),
                List.of(),
                Map.of());
    }
}
