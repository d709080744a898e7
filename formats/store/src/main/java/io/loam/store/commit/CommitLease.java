package io.loam.store.commit;

import io.loam.store.FailPoint;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.retry.Pause;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * The apply lease of one attempt of a committer. It is taken at the first commit, and then its
 * epoch rises once, even when this owner already holds it: an earlier attempt of the same owner is
 * fenced too. Other processes of the owner may extend it. Another owner's lease is waited out as
 * long as nobody extends it.
 */
final class CommitLease implements PointerPublisher.Fence {
    private static final Logger LOG = LoggerFactory.getLogger(CommitLease.class);
    private static final long POLL_MS = 500;

    private final Metastore metastore;
    private final String key;
    private final CommitterOptions options;
    private final Pause pause;
    private @Nullable Lease held;

    CommitLease(Metastore metastore, String key, CommitterOptions options, Pause pause) {
        this.metastore = metastore;
        this.key = key;
        this.options = options;
        this.pause = pause;
    }

    @Override
    public String key() {
        return key;
    }

    /** The epoch this attempt commits under. */
    @Override
    public long epoch() throws IOException {
        if (held == null) {
            held = take();
            FailPoint.LEASE_TAKEN.reach();
        }
        return held.epoch();
    }

    @Override
    public boolean isOfAnotherOwner() throws IOException {
        return metastore
                .lease(key)
                .map(Lease::owner)
                .filter(owner -> !owner.equals(options.owner()))
                .isPresent();
    }

    private Lease take() throws IOException {
        Optional<Lease> seen = metastore.lease(key);
        boolean ours = seen.isPresent() && options.owner().equals(seen.get().owner());
        if (ours || options.takeOver()) {
            return metastore.takeOverLease(key, options.owner(), options.leaseTtlMs());
        }
        Optional<Lease> free = acquire();
        return free.isPresent() ? free.get() : waitFor(metastore.lease(key));
    }

    private Optional<Lease> acquire() throws IOException {
        try {
            return Optional.of(metastore.acquireLease(key, options.owner(), options.leaseTtlMs()));
        } catch (MetastoreException e) {
            if (e.code() == Code.LEASE_HELD) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Lease waitFor(Optional<Lease> seen) throws IOException {
        Optional<Lease> first = seen;
        while (true) {
            Optional<Lease> taken = acquire();
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<Lease> now = metastore.lease(key);
            if (first.isPresent() && now.isPresent() && !now.equals(first)) {
                throw LeaseGate.heldBy(now.get());
            }
            if (first.isEmpty()) {
                // Released between the two looks, and taken by somebody else since.
                first = now;
            }
            pause.of(POLL_MS);
        }
    }

    /**
     * Gives the lease up, so that the next writer need not wait for it to run out. A job that stops
     * does not fail for a metastore that gives no answer: the lease runs out all the same.
     */
    void release() throws IOException {
        if (held == null) {
            return;
        }
        Lease given = held;
        held = null;
        try {
            metastore.releaseLease(key, options.owner(), given.epoch());
        } catch (MetastoreException e) {
            if (!e.code().unknownOutcome()) {
                throw e;
            }
            LOG.warn(
                    "the lease {} could not be released and stands until {}",
                    key,
                    Instant.ofEpochMilli(given.expiresAtMs()),
                    e);
        }
    }
}
