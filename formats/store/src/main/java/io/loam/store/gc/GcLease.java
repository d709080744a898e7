package io.loam.store.gc;

import io.loam.codec.manifest.TaskKeys;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;

/**
 * The lease of whoever collects a warehouse's garbage. A plan stays right for ever, so two
 * collectors would do no harm but the same work twice; the lease prevents that.
 */
public final class GcLease implements AutoCloseable {
    /** No reading of a root, and no batch of deletes, takes as long as that. */
    public static final long DEFAULT_TTL_MS = 15 * 60_000;

    private static final String KEY = TaskKeys.lease(TaskKeys.GC);

    private final Metastore metastore;
    private final Lease held;
    private final long ttlMs;

    private GcLease(Metastore metastore, Lease held, long ttlMs) {
        this.metastore = metastore;
        this.held = held;
        this.ttlMs = ttlMs;
    }

    /**
     * Takes the lease.
     *
     * @throws MetastoreException LEASE_HELD if another owner has it, naming the owner
     */
    public static GcLease acquire(Metastore metastore, String owner, long ttlMs)
            throws MetastoreException {
        return new GcLease(metastore, metastore.acquireLease(KEY, owner, ttlMs), ttlMs);
    }

    /**
     * Makes sure that the lease is still held, and extends it.
     *
     * @throws MetastoreException LEASE_LOST if it ran out or is another's
     */
    void confirm() throws MetastoreException {
        metastore.renewLease(KEY, held.owner(), held.epoch(), ttlMs);
    }

    @Override
    public void close() throws MetastoreException {
        metastore.releaseLease(KEY, held.owner(), held.epoch());
    }
}
