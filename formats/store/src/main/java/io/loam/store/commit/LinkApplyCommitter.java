package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LiveManifest;
import io.loam.store.StoredObjects;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.Retention;
import io.loam.store.object.ObjectNotFoundException;
import io.loam.store.object.ParallelIo;
import io.loam.store.retry.Pause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/**
 * Publishes checkpoints of one collection: each committable becomes one manifest and one swap of
 * the pointer. Use one per attempt of the committing task; not for several threads.
 *
 * <p>One attempt on one parent:
 *
 * <pre>
 * 1  clock, collection (it may have been dropped), live manifest
 * 2  settle: already committed, dropped, refused ({@link CommitCheck}), or go on
 * 3  units young enough and there ({@link UnitCheck}), lease ({@link CommitLease})
 * 4  plan: read key lists, bitmaps, deletion files; build all bytes ({@link ApplyPlanner})
 * 5  put the plan's objects, all at once
 * 6  put the manifest
 * 7  swap the pointer ({@link PointerPublisher})
 * </pre>
 *
 * <p>Losing the swap to maintenance starts over on the new parent with the same units. Losing it to
 * another apply commit is an error. Everything but the pointer is create-only under fresh names, so
 * a failure anywhere leaves unreferenced objects only, and the same committable may be tried again.
 *
 * <p>{@link CommitRefusedException} and {@link FencedException} are final; after any other {@link
 * IOException} the caller restarts and offers the committable again.
 */
public final class LinkApplyCommitter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkApplyCommitter.class);

    /** Maintenance publishes far less often than once per commit. */
    private static final int MOST_REBASES = 20;

    private final CollectionHandle handle;
    private final CommitterOptions options;
    private final Pause pause;
    private final ParallelIo reads;
    private final CommitLease lease;
    private final PointerPublisher publisher;

    public LinkApplyCommitter(CollectionHandle handle, CommitterOptions options) {
        this(handle, options, Pause.real());
    }

    /** With another way to wait for leases and between swaps. */
    public LinkApplyCommitter(CollectionHandle handle, CommitterOptions options, Pause pause) {
        this(handle, options, pause, new ParallelIo("loam-commit-" + handle.info().id()));
    }

    LinkApplyCommitter(
            CollectionHandle handle, CommitterOptions options, Pause pause, ParallelIo reads) {
        this.handle = handle;
        this.options = options;
        this.pause = pause;
        this.reads = reads;
        this.lease = new CommitLease(handle.metastore(), handle.paths().leaseKey(), options, pause);
        this.publisher = new PointerPublisher(handle, lease, options.maxCommitDelayMs(), pause);
    }

    /**
     * Publishes a committable, or says why it need not be.
     *
     * @param recovered it was restored with the task's state
     */
    public CommitOutcome commit(CollectionCommittable committable, boolean recovered)
            throws IOException {
        for (int attempt = 0; attempt <= MOST_REBASES; attempt++) {
            FailPoint.COMMIT_STARTED.reach();
            long startedMs = handle.metastore().clockMs();
            LiveManifest live = handle.live();
            ManifestChain chain =
                    new ManifestChain(handle.objects(), live, Retention.DEFAULT, startedMs);
            Optional<CommitOutcome> settled =
                    attempt > 0 && !CommitCheck.follows(committable, live.manifest())
                            ? Optional.of(publishedMeanwhile(committable, chain))
                            : CommitCheck.settle(committable, recovered, chain);
            if (settled.isPresent()) {
                return settled.get();
            }
            if (!unitsAreThere(committable, recovered, live, startedMs)) {
                continue;
            }
            lease.epoch();
            ApplyPlan plan = plan(committable, live, startedMs, attempt);
            store(plan, startedMs);
            if (publisher.publish(publication(committable, plan))) {
                return new CommitOutcome.Committed(plan.manifest().version());
            }
            LOG.info(
                    "{} lost version {} to another commit; it is built anew on the next",
                    Refusal.describe(committable),
                    plan.manifest().version());
        }
        throw new IOException(
                Refusal.describe(committable)
                        + " lost to maintenance "
                        + (MOST_REBASES + 1)
                        + " times; it is tried again after a restart");
    }

    private PointerPublisher.Publication publication(
            CollectionCommittable committable, ApplyPlan plan) {
        return new PointerPublisher.Publication(
                Refusal.describe(committable),
                plan.manifest(),
                plan.manifestPut().path(),
                plan.manifest().createdAtMs(),
                () -> ManifestChain.of(handle).findCommit(committable.commitId()).isPresent());
    }

    /** Another attempt of ours may have published it; anybody else's commit is an error. */
    private static CommitOutcome publishedMeanwhile(
            CollectionCommittable committable, ManifestChain chain) throws IOException {
        Optional<ManifestChain.Link> own = chain.findCommit(committable.commitId());
        if (own.isPresent()) {
            return new CommitOutcome.AlreadyCommitted(own.get().version());
        }
        CollectionManifest live = chain.live().manifest();
        throw new IOException(
                Refusal.describe(committable)
                        + ": another writer published commit "
                        + ApplyProperties.lastCommit(live.properties())
                        + " as version "
                        + live.version()
                        + " meanwhile");
    }

    /**
     * False if the units were refused while somebody published: an earlier attempt may have got
     * through just now, and then the garbage collector takes the lists of its units.
     */
    private boolean unitsAreThere(
            CollectionCommittable committable, boolean recovered, LiveManifest live, long startedMs)
            throws IOException {
        try {
            new UnitCheck(handle.objects(), handle.paths(), reads, options, pause)
                    .check(committable, recovered, startedMs);
            return true;
        } catch (CommitRefusedException e) {
            if (handle.live().version() == live.version()) {
                throw e;
            }
            LOG.info("{} is looked at again, as a version was published", e.getMessage());
            return false;
        }
    }

    private ApplyPlan plan(
            CollectionCommittable committable, LiveManifest live, long startedMs, int attempt)
            throws IOException {
        CommitIo io =
                new CommitIo(
                        handle.objects(),
                        handle.paths(),
                        handle.rowVersions(),
                        reads,
                        () -> handle.ulids().next(startedMs));
        try {
            return new ApplyPlanner(io, options, committable, live, startedMs)
                    .plan(handle.schema().version(), attempt);
        } catch (ObjectNotFoundException e) {
            throw new IOException(
                    Refusal.describe(committable)
                            + ": an object it needs is gone; if it still is after a restart, "
                            + "start the job without state",
                    e);
        }
    }

    private void store(ApplyPlan plan, long startedMs) throws IOException {
        if (!plan.objects().isEmpty()) {
            StoredObjects.putAll(handle.objects(), plan.objects());
        }
        StoredObjects.putManifest(handle.objects(), plan.manifestPut());
        StoredObjects.stored(plan.manifestPut().path());
        long tookMs = handle.metastore().clockMs() - startedMs;
        if (tookMs > options.maxCommitDelayMs()) {
            throw new IOException(
                    "building version "
                            + plan.manifest().version()
                            + " took "
                            + tookMs
                            + " ms, longer than the "
                            + options.maxCommitDelayMs()
                            + " ms after which its objects may be collected; not published");
        }
    }

    /** Gives up the lease. */
    @Override
    public void close() throws IOException {
        reads.close();
        lease.release();
    }
}
