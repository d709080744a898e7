package io.loam.flink.operators.maintain;

import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcReport;
import io.loam.store.gc.GcResult;
import io.loam.store.gc.WarehouseCollector;

import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects the garbage of the whole warehouse at every trigger, until nothing is due: the bound on
 * what one pass of the collector deletes is only how often it reads anew. Parallelism 1; jobs and
 * commands keep out of each other's way by the lease.
 */
@Internal
public final class GcOperator extends CleaningOperator {
    private static final long serialVersionUID = 1L;

    private final GcOptions options;
    private transient Counter bytes;

    public GcOperator(WarehouseOpener opener, String owner, GcOptions options) {
        super(opener, "loam-maintenance-gc", owner, "numObjectsDeleted");
        this.options = options;
    }

    @Override
    public void open() throws Exception {
        super.open();
        bytes = getMetricGroup().counter("numBytesDeleted");
    }

    @Override
    List<CleaningReport> pass(String leaseOwner) {
        Map<String, CleaningReport> reports = new TreeMap<>();
        GcLease lease = null;
        try {
            lease = GcLease.acquire(warehouse().metastore(), leaseOwner, GcLease.DEFAULT_TTL_MS);
            WarehouseCollector collector = new WarehouseCollector(warehouse(), options);
            GcReport report;
            do {
                report = collector.sweep(lease);
                report.roots().forEach(root -> add(reports, root));
            } while (report.left() > 0 && !Thread.currentThread().isInterrupted());
        } catch (IOException | RuntimeException e) {
            String whole = "the warehouse";
            reports.put(
                    whole,
                    isLeaseHeld(e)
                            ? new CleaningReport(whole, 0, 0, e.getMessage(), "")
                            : CleaningReport.failed(whole, e.toString()));
        } finally {
            release(lease);
        }
        return List.copyOf(reports.values());
    }

    private static void add(Map<String, CleaningReport> reports, GcReport.Root root) {
        GcResult result = root.result();
        CleaningReport before = reports.get(root.name());
        long objects = before == null ? 0 : before.removed();
        long size = before == null ? 0 : before.bytes();
        if (result == null) {
            reports.put(
                    root.name(),
                    new CleaningReport(root.name(), objects, size, "", root.failure()));
            return;
        }
        objects += result.deleted();
        size += result.bytes(false);
        String summary = result.summary(objects, size);
        reports.put(
                root.name(),
                new CleaningReport(
                        root.name(),
                        objects,
                        size,
                        summary,
                        result.plan().damage() == null ? "" : summary));
    }

    /** A pass that is cancelled gives the lease back all the same. */
    private void release(GcLease lease) {
        if (lease == null) {
            return;
        }
        boolean cancelled = Thread.interrupted();
        try {
            lease.close();
        } catch (IOException e) {
            LOG.warn("the lease of garbage collection was not given back; it will run out", e);
        }
        if (cancelled) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    void count(CleaningReport report) {
        bytes.inc(report.bytes());
    }
}
