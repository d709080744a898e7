package io.loam.store.maintain;

import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;

import java.io.IOException;
import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The leases of one round: of each kind of task that is on and that nobody else does, kept until
 * closed. They may go on to another process of the same owner: it {@link #resume}s what {@link
 * #taken} says, and the first does not close.
 */
public final class RoundLeases implements AutoCloseable {
    /** A lease as it travels. */
    public record Taken(String key, long epoch) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private final List<MaintenanceLease> leases = new ArrayList<>();
    private final List<String> held = new ArrayList<>();

    private RoundLeases() {}

    /** Takes every lease there is to have; none is no error. */
    public static RoundLeases acquire(CollectionHandle handle, MaintenanceOptions options)
            throws IOException {
        return acquire(
                handle, options, options.hot().enabled() ? HotPlanner.wanted(handle) : List.of());
    }

    /**
     * The same, and those of hot graphs that nobody wants: one that was wanted when its build began
     * may still be published.
     */
    public static RoundLeases acquireAll(CollectionHandle handle, MaintenanceOptions options)
            throws IOException {
        List<Integer> vectors =
                IntStream.range(0, handle.schema().vectors().size()).boxed().toList();
        return acquire(handle, options, vectors);
    }

    private static RoundLeases acquire(
            CollectionHandle handle, MaintenanceOptions options, Collection<Integer> hotVectors)
            throws IOException {
        Metastore metastore = handle.metastore();
        long collection = handle.info().id();
        RoundLeases taken = new RoundLeases();
        try {
            if (options.merge().enabled()) {
                taken.take(metastore, TaskKeys.mergeSplits(collection), options);
            }
            if (options.compaction().enabled()) {
                taken.take(metastore, TaskKeys.compact(collection), options);
            }
            if (options.index().enabled()) {
                taken.take(metastore, TaskKeys.buildIndexes(collection), options);
            }
            for (int vector : hotVectors) {
                taken.take(metastore, TaskKeys.buildHot(collection, vector), options);
            }
            return taken;
        } catch (IOException | RuntimeException e) {
            taken.close();
            throw e;
        }
    }

    /** Leases that the same owner acquired in another process. */
    public static RoundLeases resume(
            Metastore metastore, List<Taken> taken, MaintenanceOptions options) {
        RoundLeases resumed = new RoundLeases();
        taken.forEach(
                lease ->
                        resumed.leases.add(
                                MaintenanceLease.resume(
                                        metastore, lease.key(), lease.epoch(), options)));
        return resumed;
    }

    private void take(Metastore metastore, String task, MaintenanceOptions options)
            throws IOException {
        String key = TaskKeys.lease(task);
        Optional<MaintenanceLease> lease = MaintenanceLease.acquire(metastore, key, options);
        if (lease.isPresent()) {
            leases.add(lease.get());
            return;
        }
        Optional<Lease> other = metastore.lease(key);
        held.add(
                "the lease "
                        + key
                        + " is held by "
                        + other.map(Lease::owner).orElse("nobody any more")
                        + other.map(o -> " until " + Instant.ofEpochMilli(o.expiresAtMs()))
                                .orElse(""));
    }

    /** Extends all of them from now on. */
    public RoundLeases extended() {
        leases.forEach(MaintenanceLease::extended);
        return this;
    }

    public boolean isEmpty() {
        return leases.isEmpty();
    }

    /** Who has those that could not be taken, in words. */
    public List<String> held() {
        return List.copyOf(held);
    }

    public List<Taken> taken() {
        return leases.stream().map(lease -> new Taken(lease.key(), lease.epoch())).toList();
    }

    /** Whether tasks of this kind may be done. */
    public boolean allow(MaintenanceTask task, long collection) {
        String key = TaskKeys.lease(key(task, collection));
        return leases.stream().anyMatch(lease -> lease.key().equals(key));
    }

    private static String key(MaintenanceTask task, long collection) {
        if (task instanceof BuildHot hot) {
            return TaskKeys.buildHot(collection, hot.position());
        }
        if (task instanceof BuildIndex) {
            return TaskKeys.buildIndexes(collection);
        }
        return task instanceof MergeSplits
                ? TaskKeys.mergeSplits(collection)
                : TaskKeys.compact(collection);
    }

    /** The lease a round is published under; there must be one. */
    public MaintenanceLease fence() {
        return leases.get(0);
    }

    @Override
    public void close() {
        leases.forEach(MaintenanceLease::close);
    }
}
