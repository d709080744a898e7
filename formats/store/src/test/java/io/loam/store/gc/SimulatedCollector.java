package io.loam.store.gc;

import io.loam.store.CollectionHandle;
import io.loam.store.object.ParallelIo;

/** Opens collectors that read and delete in order. */
public final class SimulatedCollector {
    private SimulatedCollector() {}

    public static GarbageCollector open(CollectionHandle handle, GcOptions options) {
        return new GarbageCollector(handle, options, ParallelIo.inOrder());
    }
}
