package io.loam.store.commit;

import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.retry.Pause;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Keeps a writer from working on a collection while another one holds the apply lease: what it read
 * of the collection would be out of date with the holder's next commit. A lease that nobody extends
 * is waited out.
 */
public final class LeaseGate {
    private static final long POLL_MS = 200;

    private final Metastore metastore;
    private final String key;
    private final Predicate<String> ours;
    private final Pause pause;

    /**
     * @param ours whether an owner of the lease is this writer
     */
    public LeaseGate(Metastore metastore, String key, Predicate<String> ours) {
        this(metastore, key, ours, Pause.real());
    }

    LeaseGate(Metastore metastore, String key, Predicate<String> ours, Pause pause) {
        this.metastore = metastore;
        this.key = key;
        this.ours = ours;
        this.pause = pause;
    }

    /** Waits while another writer holds the lease, however long that is. */
    public void await() throws IOException {
        while (other().isPresent()) {
            pause.of(POLL_MS);
        }
    }

    /**
     * Waits until the lease of another writer has run out.
     *
     * @throws LeaseHeldException if that writer extends it meanwhile
     */
    public void awaitExpiry() throws IOException {
        Optional<Lease> first = other();
        Optional<Lease> now = first;
        while (now.isPresent()) {
            if (!now.equals(first)) {
                throw heldBy(now.get());
            }
            pause.of(POLL_MS);
            now = other();
        }
    }

    /** Takes the lease if another writer holds it. */
    public void takeOver(String owner, long ttlMs) throws IOException {
        if (other().isPresent()) {
            metastore.takeOverLease(key, owner, ttlMs);
        }
    }

    private Optional<Lease> other() throws IOException {
        Optional<Lease> lease = metastore.lease(key);
        return lease.filter(held -> held.owner() != null && !ours.test(held.owner())).isPresent()
                        && lease.get().expiresAtMs() > metastore.clockMs()
                ? lease
                : Optional.empty();
    }

    static LeaseHeldException heldBy(Lease lease) {
        return new LeaseHeldException(
                "the apply lease "
                        + lease.key()
                        + " is held by "
                        + lease.owner()
                        + " until "
                        + Instant.ofEpochMilli(lease.expiresAtMs())
                        + " and was extended meanwhile; stop that job, or take the lease with"
                        + " --take-over");
    }
}
