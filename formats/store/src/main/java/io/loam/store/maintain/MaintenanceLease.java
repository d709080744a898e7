package io.loam.store.maintain;

import io.loam.store.commit.PointerPublisher;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The lease of whoever does a side job of a collection. It saves work that would be abandoned;
 * right is what comes out without it, too. May be used from any thread.
 */
public final class MaintenanceLease implements PointerPublisher.Fence, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceLease.class);

    private final Metastore metastore;
    private final Lease held;
    private final long ttlMs;
    @Nullable private ScheduledExecutorService thread;

    private MaintenanceLease(Metastore metastore, Lease held, long ttlMs) {
        this.metastore = metastore;
        this.held = held;
        this.ttlMs = ttlMs;
    }

    /**
     * Takes the lease unless another owner holds it.
     *
     * @param key of the lease
     * @return empty if it is held
     */
    public static Optional<MaintenanceLease> acquire(
            Metastore metastore, String key, MaintenanceOptions options) throws IOException {
        try {
            Lease held = metastore.acquireLease(key, options.owner(), options.leaseTtlMs());
            return Optional.of(new MaintenanceLease(metastore, held, options.leaseTtlMs()));
        } catch (MetastoreException e) {
            if (e.code() == Code.LEASE_HELD) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * A lease that the same owner acquired elsewhere, as another process of a job.
     *
     * @param epoch it was acquired under
     */
    public static MaintenanceLease resume(
            Metastore metastore, String key, long epoch, MaintenanceOptions options) {
        return new MaintenanceLease(
                metastore, new Lease(key, options.owner(), epoch, 0), options.leaseTtlMs());
    }

    /** Extends the lease from now on in a thread of its own, three times within its life. */
    public synchronized MaintenanceLease extended() {
        if (thread == null) {
            long everyMs = Math.max(1, ttlMs / 3);
            thread =
                    Executors.newSingleThreadScheduledExecutor(
                            task -> {
                                Thread made = new Thread(task, "loam-maintenance-lease");
                                made.setDaemon(true);
                                return made;
                            });
            thread.scheduleWithFixedDelay(this::extend, everyMs, everyMs, TimeUnit.MILLISECONDS);
        }
        return this;
    }

    private void extend() {
        try {
            metastore.renewLease(held.key(), held.owner(), held.epoch(), ttlMs);
        } catch (IOException | RuntimeException e) {
            // The next round tries again; a lease that stays lost fences the commit.
            LOG.warn("the lease {} could not be extended", held.key(), e);
        }
    }

    @Override
    public String key() {
        return held.key();
    }

    @Override
    public long epoch() {
        return held.epoch();
    }

    @Override
    public boolean isOfAnotherOwner() throws IOException {
        return metastore
                .lease(held.key())
                .map(Lease::owner)
                .filter(owner -> !owner.equals(held.owner()))
                .isPresent();
    }

    /** Gives the lease up; one that cannot be given up runs out. */
    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.shutdownNow();
            thread = null;
        }
        try {
            metastore.releaseLease(held.key(), held.owner(), held.epoch());
        } catch (IOException e) {
            LOG.warn("the lease {} could not be released", held.key(), e);
        }
    }
}
