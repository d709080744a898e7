package io.loam.flink.operators.maintain;

import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;

import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.util.List;
import java.util.UUID;

/**
 * Makes a pass at every trigger, in a thread of its own. A trigger that finds the last one's pass
 * under way is dropped. Whatever goes wrong is part of the pass's reports.
 */
abstract class CleaningOperator extends BackgroundOperator<CleaningReport>
        implements OneInputStreamOperator<Long, CleaningReport> {
    private static final long serialVersionUID = 1L;

    private final String owner;
    private final String removedMetric;
    private transient boolean running;
    private transient String attempt;
    private transient Counter triggersSkipped;
    private transient Counter passes;
    private transient Counter failures;
    private transient Counter removed;

    /**
     * @param owner names it in leases, together with something that no other attempt has
     * @param removedMetric name of the metric that counts what is removed
     */
    CleaningOperator(
            WarehouseOpener opener, String threadName, String owner, String removedMetric) {
        super(opener, threadName, 1);
        this.owner = owner;
        this.removedMetric = removedMetric;
    }

    @Override
    public void open() throws Exception {
        super.open();
        attempt = owner + "/" + UUID.randomUUID();
        triggersSkipped = getMetricGroup().counter("numTriggersSkipped");
        passes = getMetricGroup().counter("numPasses");
        failures = getMetricGroup().counter("numFailures");
        removed = getMetricGroup().counter(removedMetric);
    }

    @Override
    public void processElement(StreamRecord<Long> trigger) {
        if (running) {
            triggersSkipped.inc();
            return;
        }
        running = true;
        inBackground(() -> pass(attempt), this::emit);
    }

    /**
     * @param leaseOwner who takes the leases
     */
    abstract List<CleaningReport> pass(String leaseOwner);

    /** Somebody else is at it, which is no failure. */
    static boolean isLeaseHeld(Exception e) {
        return e instanceof MetastoreException refused && refused.code() == Code.LEASE_HELD;
    }

    private void emit(List<CleaningReport> reports) {
        running = false;
        passes.inc();
        for (CleaningReport report : reports) {
            removed.inc(report.removed());
            if (!report.problem().isEmpty()) {
                failures.inc();
                LOG.warn("{}", report);
            } else if (report.removed() > 0) {
                LOG.info("{}", report);
            } else {
                LOG.debug("{}", report);
            }
            count(report);
            output.collect(new StreamRecord<>(report));
        }
    }

    /** Further metrics. */
    void count(CleaningReport report) {}
}
