package io.loam.store.sim;

import io.loam.store.CollectionHandle;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcResult;
import io.loam.store.gc.SimulatedCollector;

import java.io.IOException;

import static io.loam.store.sim.Violation.require;

/** Collects garbage, one pass after the other. */
final class CollectorProcess {
    private static final long TTL_MS = 60_000;

    private final World world;
    private final String owner;

    CollectorProcess(World world, String owner) {
        this.world = world;
        this.owner = owner;
    }

    void run() {
        while (true) {
            world.scheduler.sleep(1 + world.random.nextInt(20_000));
            try {
                GcResult result = sweep();
                world.scheduler.note("  deleted " + result.deleted());
            } catch (IOException e) {
                world.scheduler.note("  fails: " + e.getMessage());
            }
        }
    }

    private GcResult sweep() throws IOException {
        CollectionHandle handle = world.openForCollector();
        try (GcLease lease = GcLease.acquire(handle.metastore(), owner, TTL_MS);
                GarbageCollector collector = SimulatedCollector.open(handle, world.collecting)) {
            GcResult result = collector.sweep(lease);
            require(
                    result.plan().damage() == null,
                    "the collector found damage: " + result.plan().damage());
            return result;
        }
    }
}
