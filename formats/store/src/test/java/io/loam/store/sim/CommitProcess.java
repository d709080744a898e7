package io.loam.store.sim;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.commit.OffsetRange;
import io.loam.store.commit.SimulatedCommitter;
import io.loam.store.object.ObjectNotFoundException;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static io.loam.store.sim.Violation.require;

/** The committing process of one attempt: restored committables first, then completed ones. */
final class CommitProcess {
    private static final long SOON_MS = 30 * 60_000;

    private final World world;
    private final Attempt attempt;

    CommitProcess(World world, Attempt attempt) {
        this.world = world;
        this.attempt = attempt;
    }

    void run() throws IOException {
        boolean restored = !attempt.pending.isEmpty();
        world.scheduler.await(() -> restored || !attempt.notified.isEmpty() || attempt.dead, 0);
        if (!restored && attempt.notified.isEmpty()) {
            return;
        }
        CollectionHandle handle = world.open();
        CommitterOptions options =
                CommitterOptions.of(attempt.job.owner()).withTakeOver(attempt.job.takeOver);
        try (LinkApplyCommitter committer =
                SimulatedCommitter.open(handle, options, world.scheduler::sleep)) {
            commitUpTo(committer, attempt.restoredCheckpoint());
            while (true) {
                world.scheduler.await(() -> !attempt.notified.isEmpty() || attempt.dead, 0);
                if (attempt.notified.isEmpty()) {
                    return;
                }
                commitUpTo(committer, attempt.notified.remove());
            }
        }
    }

    private void commitUpTo(LinkApplyCommitter committer, long checkpoint) throws IOException {
        List<CollectionCommittable> due =
                attempt.pending.stream()
                        .filter(
                                c ->
                                        c.checkpoint() <= checkpoint
                                                || !c.incarnation().equals(attempt.job.incarnation))
                        .sorted(Comparator.comparingLong(CollectionCommittable::checkpoint))
                        .toList();
        for (CollectionCommittable committable : due) {
            commit(committer, committable);
            attempt.pending.remove(committable);
        }
    }

    private void commit(LinkApplyCommitter committer, CollectionCommittable committable)
            throws IOException {
        boolean recovered =
                !committable.incarnation().equals(attempt.job.incarnation)
                        || (attempt.restored != null
                                && committable.checkpoint() <= attempt.restoredCheckpoint());
        long startedMs = world.scheduler.nowMs();
        CommitOutcome outcome;
        try {
            outcome =
                    committer.commit(
                            world.mutant == Mutant.COMMITTER_IGNORES_BASE
                                    ? onWhatIsLive(committable)
                                    : committable,
                            recovered);
        } catch (IOException e) {
            requireNothingLost(committable, startedMs, e);
            throw e;
        }
        world.scheduler.note("  " + committable.commitId() + ": " + outcome);
        require(
                outcome instanceof CommitOutcome.Dropped
                        || world.oracle.isPublished(committable.commitId()),
                outcome + ", but " + committable.commitId() + " was never published");
    }

    /**
     * Within the staging retention a unit's objects are there until it is published, unless its
     * commit took ages; and nobody is told for good that it cannot be published when it is.
     */
    private void requireNothingLost(
            CollectionCommittable committable, long startedMs, IOException failure) {
        String id = committable.commitId();
        boolean gone =
                failure.getCause() instanceof ObjectNotFoundException
                        || String.valueOf(failure.getMessage()).contains("is gone");
        boolean soon = world.scheduler.nowMs() - startedMs < SOON_MS;
        require(
                !gone || !soon || world.oracle.isPublished(id),
                "lost: " + failure.getMessage() + " of " + committable.units());
        require(
                !(failure instanceof CommitRefusedException) || !world.oracle.isRetained(id),
                "refused although it is published: " + failure.getMessage());
    }

    private CollectionCommittable onWhatIsLive(CollectionCommittable committable) {
        CollectionManifest live = world.oracle.live();
        Map<Integer, OffsetRange> progress = new TreeMap<>();
        committable
                .progress()
                .forEach(
                        (p, range) -> {
                            long applied = live.applied().getOrDefault(p, 0L);
                            progress.put(
                                    p, new OffsetRange(applied, Math.max(applied, range.to()), 0));
                        });
        return new CollectionCommittable(
                committable.commitId(),
                live.properties().getOrDefault(ManifestProperties.COMMIT_ID, ""),
                committable.incarnation(),
                committable.checkpoint(),
                committable.mode(),
                committable.writer(),
                committable.job(),
                committable.records(),
                committable.units(),
                progress);
    }
}
