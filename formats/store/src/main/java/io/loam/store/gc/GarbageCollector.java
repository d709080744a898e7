package io.loam.store.gc;

import io.loam.store.CollectionHandle;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.object.ParallelIo;

import java.io.IOException;
import java.util.List;

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
    private static final int BATCH = 100;

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
        return GcPlanner.plan(new GcReader(handle, io, options).read(), options);
    }

    /**
     * One pass.
     *
     * @throws io.loam.store.metastore.MetastoreException LEASE_LOST if the lease is lost meanwhile;
     *     earlier batches are deleted
     */
    public GcResult sweep(GcLease lease) throws IOException {
        GcPlan plan = plan();
        List<Verdict> all = plan.deletes();
        List<Verdict> now = all.subList(0, Math.min(all.size(), options.maxDeletes()));
        for (int from = 0; from < now.size(); from += BATCH) {
            lease.confirm();
            List<Verdict> batch = now.subList(from, Math.min(now.size(), from + BATCH));
            handle.objects().deleteAll(batch.stream().map(Verdict::path).toList());
        }
        return new GcResult(plan, now.size(), all.size() - now.size());
    }

    @Override
    public void close() {
        io.close();
    }
}
