package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Pointer;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.retry.Pause;
import io.loam.store.retry.RetryOptions;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes a stored manifest the live one. A swap has more than two outcomes:
 *
 * <pre>
 * swapped             published
 * version mismatch    our manifest is on the chain: published, the answer was lost
 *                     otherwise: lost
 * fenced              our manifest is on the chain: published before that; otherwise fenced
 * outcome unknown     after a pause, read the pointer, then the very same swap again, until the
 *                     commit is too old to be published
 * anything else       an error; nothing is deleted
 * </pre>
 */
final class PointerPublisher {
    /** At most 12 seconds of pauses: a database that restarts answers the swap itself. */
    private static final RetryOptions TRIES = new RetryOptions(8, 100, 5_000);

    private final CollectionHandle handle;
    private final CommitLease lease;
    private final CommitterOptions options;
    private final Pause pause;

    PointerPublisher(
            CollectionHandle handle, CommitLease lease, CommitterOptions options, Pause pause) {
        this.handle = handle;
        this.lease = lease;
        this.options = options;
        this.pause = pause;
    }

    /**
     * Whether the plan's manifest is published; false when another commit came first.
     *
     * @throws FencedException if another committer took the lease
     */
    boolean publish(CollectionCommittable committable, ApplyPlan plan) throws IOException {
        PointerSwap swap = swap(plan);
        MetastoreException unknown = null;
        for (int attempt = 0; attempt < TRIES.attempts(); attempt++) {
            if (attempt > 0) {
                pause.of(TRIES.pauseMs(attempt, ThreadLocalRandom.current().nextDouble()));
                if (isTooLate(plan)) {
                    break;
                }
            }
            try {
                if (unknown != null && points(plan)) {
                    return true;
                }
                FailPoint.BEFORE_SWAP.reach();
                handle.metastore().swapPointer(swap);
                FailPoint.SWAPPED.reach();
                return true;
            } catch (MetastoreException e) {
                if (!e.code().unknownOutcome()) {
                    return settle(committable, e);
                }
                unknown = e;
            }
        }
        throw new IOException(
                Refusal.describe(committable)
                        + ": the metastore did not say whether version "
                        + plan.manifest().version()
                        + " was published; the next attempt will see",
                unknown);
    }

    /** Each try may wait for the database's own timeouts; a swap this old is refused anyway. */
    private boolean isTooLate(ApplyPlan plan) {
        return handle.ulids().timeMs() - plan.manifest().createdAtMs() > options.maxCommitDelayMs();
    }

    private PointerSwap swap(ApplyPlan plan) throws IOException {
        CollectionManifest manifest = plan.manifest();
        return new PointerSwap(
                handle.info().namespaceId(),
                handle.paths().pointerKey(),
                manifest.parentVersion(),
                plan.manifestPut().path(),
                lease.key(),
                lease.epoch(),
                manifest.createdAtMs(),
                options.maxCommitDelayMs());
    }

    private boolean points(ApplyPlan plan) throws MetastoreException {
        Optional<Pointer> now =
                handle.metastore()
                        .pointer(handle.info().namespaceId(), handle.paths().pointerKey());
        return now.isPresent() && now.get().value().equals(plan.manifestPut().path());
    }

    private boolean settle(CollectionCommittable committable, MetastoreException refusal)
            throws IOException {
        if (refusal.code() == Code.VERSION_MISMATCH) {
            return onChain(committable);
        }
        if (refusal.code() == Code.FENCED) {
            if (onChain(committable)) {
                return true;
            }
            throw new FencedException(
                    Refusal.describe(committable)
                            + ": another committer took the lease "
                            + lease.key()
                            + "; this one stops",
                    lease.isOfAnotherOwner(),
                    refusal);
        }
        if (refusal.code() == Code.STALE_OBJECT) {
            throw new IOException(
                    Refusal.describe(committable)
                            + ": took longer than "
                            + options.maxCommitDelayMs()
                            + " ms and was not published",
                    refusal);
        }
        throw refusal;
    }

    private boolean onChain(CollectionCommittable committable) throws IOException {
        return ManifestChain.of(handle).findCommit(committable.commitId()).isPresent();
    }
}
