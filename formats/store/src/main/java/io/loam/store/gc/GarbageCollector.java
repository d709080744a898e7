package io.loam.store.gc;

import io.loam.store.CollectionHandle;
import io.loam.store.object.ParallelIo;

import java.io.IOException;

/**
 * Deletes what a collection does not need any more, one pass at a time:
 *
 * <pre>
 * read    {@link GcReader}
 * plan    {@link GcPlanner}: the fate of every object
 * delete  the first {@link GcOptions#maxDeletes} of those that go, in batches; before each batch
 *         the lease is confirmed
 * </pre>
 *
 * An object goes one pass after the last manifest that names it. A pass that breaks off anywhere is
 * simply followed by the next. Not for several threads.
 */
public final class GarbageCollector implements AutoCloseable {
    private final CollectionHandle handle;
    private final GcOptions options;
    private final ParallelIo io;

    public GarbageCollector(CollectionHandle handle, GcOptions options) {
        this(handle, options, new ParallelIo("loam-gc-" + handle.info().id()));
    }

    GarbageCollector(CollectionHandle handle, GcOptions options, ParallelIo io) {
        this.handle = handle;
        this.options = options;
        this.io = io;
    }

    /** What a pass would do now; deletes nothing and needs no lease. */
    public GcPlan plan() throws IOException {
        return plan(false);
    }

    private GcPlan plan(boolean release) throws IOException {
        return GcPlanner.plan(new GcReader(handle, io, options).read(release, false), options);
    }

    /**
     * One pass.
     *
     * @throws io.loam.store.metastore.MetastoreException LEASE_LOST if the lease is lost meanwhile;
     *     earlier batches are deleted
     */
    public GcResult sweep(GcLease lease) throws IOException {
        return new Deletes(handle.objects(), lease, options.maxDeletes()).run(plan(true));
    }

    /**
     * One pass for an erasure: what versions name that it released goes at once, however young.
     *
     * @throws io.loam.store.metastore.MetastoreException as {@link #sweep}
     */
    public GcResult sweepReleased(GcLease lease) throws IOException {
        GcPlan plan =
                GcPlanner.plan(new GcReader(handle, io, options).read(true, true), options, true);
        return new Deletes(handle.objects(), lease, options.maxDeletes()).run(plan);
    }

    @Override
    public void close() {
        io.close();
    }
}
