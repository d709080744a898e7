package io.loam.store.gc;

import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.object.ObjectStore;

import java.io.IOException;
import java.util.List;

/** Deletes the first of what goes, in batches; before each one the lease is confirmed. */
final class Deletes {
    private static final int BATCH = 100;

    private final ObjectStore objects;
    private final GcLease lease;
    private final int most;

    Deletes(ObjectStore objects, GcLease lease, int most) {
        this.objects = objects;
        this.lease = lease;
        this.most = most;
    }

    GcResult run(GcPlan plan) throws IOException {
        List<Verdict> all = plan.deletes();
        List<Verdict> now = all.subList(0, Math.min(all.size(), most));
        for (int from = 0; from < now.size(); from += BATCH) {
            lease.confirm();
            List<Verdict> batch = now.subList(from, Math.min(now.size(), from + BATCH));
            objects.deleteAll(batch.stream().map(Verdict::path).toList());
        }
        return new GcResult(plan, now.size(), all.size() - now.size());
    }
}
