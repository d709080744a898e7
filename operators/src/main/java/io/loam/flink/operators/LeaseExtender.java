package io.loam.flink.operators;

import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Extends the apply lease while the job runs, in a thread of its own, so that a long pause of the
 * task does not give it away. It never takes a lease nor raises its epoch: that is the committer's
 * business, and so is finding out that the lease was lost.
 */
final class LeaseExtender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseExtender.class);

    private final Metastore metastore;
    private final String key;
    private final String owner;
    private final long ttlMs;
    private final ScheduledExecutorService thread;

    LeaseExtender(Metastore metastore, String key, String owner, long ttlMs) {
        this.metastore = metastore;
        this.key = key;
        this.owner = owner;
        this.ttlMs = ttlMs;
        this.thread =
                Executors.newSingleThreadScheduledExecutor(
                        task -> {
                            Thread made = new Thread(task, "loam-lease");
                            made.setDaemon(true);
                            return made;
                        });
    }

    /** Extends the lease from now on, three times within its time to live. */
    void start() {
        long everyMs = Math.max(1, ttlMs / 3);
        thread.scheduleWithFixedDelay(this::extend, everyMs, everyMs, TimeUnit.MILLISECONDS);
    }

    void extend() {
        try {
            Optional<Lease> lease = metastore.lease(key);
            if (lease.isPresent() && owner.equals(lease.get().owner())) {
                metastore.reacquireLease(key, owner, lease.get().epoch(), ttlMs);
            }
        } catch (IOException | RuntimeException e) {
            // The next round tries again; a lease that stays lost fails the next commit.
            LOG.warn("the lease {} could not be extended", key, e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
