package io.loam.store.commit;

import io.loam.store.CollectionHandle;
import io.loam.store.object.ParallelIo;

import java.util.function.LongConsumer;

/** Opens committers that read in order and wait as they are told. */
public final class SimulatedCommitter {
    private SimulatedCommitter() {}

    public static LinkApplyCommitter open(
            CollectionHandle handle, CommitterOptions options, LongConsumer pause) {
        return new LinkApplyCommitter(handle, options, pause::accept, ParallelIo.inOrder());
    }
}
