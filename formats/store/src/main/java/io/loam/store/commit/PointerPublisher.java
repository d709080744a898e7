package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
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
public final class PointerPublisher {
    /** At most 12 seconds of pauses: a database that restarts answers the swap itself. */
    private static final RetryOptions TRIES = new RetryOptions(8, 100, 5_000);

    private final CollectionHandle handle;
    private final Fence fence;
    private final long maxCommitDelayMs;
    private final Pause pause;

    /** The lease a swap must be made under. */
    public interface Fence {
        String key();

        /** That the lease must still have. */
        long epoch() throws IOException;

        /** Whether somebody else holds the lease now. */
        boolean isOfAnotherOwner() throws IOException;
    }

    /** Looks whether a commit is on the chain. */
    @FunctionalInterface
    public interface ChainCheck {
        boolean isPublished() throws IOException;
    }

    /**
     * A stored manifest that is to become the live one.
     *
     * @param what names the commit in messages
     * @param startedMs when the commit began, metastore clock; it must not be older than allowed
     * @param published asked when somebody else's version was there
     */
    public record Publication(
            String what,
            CollectionManifest manifest,
            String path,
            long startedMs,
            ChainCheck published) {}

    public PointerPublisher(
            CollectionHandle handle, Fence fence, long maxCommitDelayMs, Pause pause) {
        this.handle = handle;
        this.fence = fence;
        this.maxCommitDelayMs = maxCommitDelayMs;
        this.pause = pause;
    }

    /**
     * Whether the manifest is published; false when another commit came first.
     *
     * @throws FencedException if another committer took the lease
     * @throws StaleCommitException if it began too long ago
     */
    public boolean publish(Publication publication) throws IOException {
        PointerSwap swap = swap(publication);
        MetastoreException unknown = null;
        for (int attempt = 0; attempt < TRIES.attempts(); attempt++) {
            if (attempt > 0) {
                pause.of(TRIES.pauseMs(attempt, ThreadLocalRandom.current().nextDouble()));
                if (isTooLate(publication)) {
                    break;
                }
            }
            try {
                if (unknown != null && points(publication)) {
                    return true;
                }
                FailPoint.BEFORE_SWAP.reach();
                handle.metastore().swapPointer(swap);
                FailPoint.SWAPPED.reach();
                return true;
            } catch (MetastoreException e) {
                if (!e.code().unknownOutcome()) {
                    return settle(publication, e);
                }
                unknown = e;
            }
        }
        throw new IOException(
                publication.what()
                        + ": the metastore did not say whether version "
                        + publication.manifest().version()
                        + " was published; the next attempt will see",
                unknown);
    }

    /** Each try may wait for the database's own timeouts; a swap this old is refused anyway. */
    private boolean isTooLate(Publication publication) {
        return handle.ulids().timeMs() - publication.startedMs() > maxCommitDelayMs;
    }

    private PointerSwap swap(Publication publication) throws IOException {
        return new PointerSwap(
                handle.info().namespaceId(),
                handle.paths().pointerKey(),
                publication.manifest().parentVersion(),
                publication.path(),
                fence.key(),
                fence.epoch(),
                publication.startedMs(),
                maxCommitDelayMs);
    }

    private boolean points(Publication publication) throws MetastoreException {
        Optional<Pointer> now =
                handle.metastore()
                        .pointer(handle.info().namespaceId(), handle.paths().pointerKey());
        return now.isPresent() && now.get().value().equals(publication.path());
    }

    private boolean settle(Publication publication, MetastoreException refusal) throws IOException {
        if (refusal.code() == Code.VERSION_MISMATCH) {
            return publication.published().isPublished();
        }
        if (refusal.code() == Code.FENCED) {
            if (publication.published().isPublished()) {
                return true;
            }
            throw new FencedException(
                    publication.what()
                            + ": another committer took the lease "
                            + fence.key()
                            + "; this one stops",
                    fence.isOfAnotherOwner(),
                    refusal);
        }
        if (refusal.code() == Code.STALE_OBJECT) {
            throw new StaleCommitException(
                    publication.what()
                            + ": took longer than "
                            + maxCommitDelayMs
                            + " ms and was not published",
                    refusal);
        }
        throw refusal;
    }
}
