package io.loam.flink.operators;

import org.apache.flink.metrics.MetricGroup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Where a staging subtask spends its time, and what it holds; shared by its two threads. */
final class StageTimes {
    final LongAdder foldNanos = new LongAdder();
    final LongAdder readNanos = new LongAdder();
    final LongAdder rowsNanos = new LongAdder();
    final LongAdder textNanos = new LongAdder();
    final LongAdder uploadNanos = new LongAdder();
    final LongAdder waitNanos = new LongAdder();
    final LongAdder rowsWritten = new LongAdder();
    final LongAdder unitsStaged = new LongAdder();
    final LongAdder bytesStaged = new LongAdder();
    final AtomicLong currentUnitBytes = new AtomicLong();
    final AtomicLong rebuildMs = new AtomicLong();

    void register(MetricGroup group) {
        millis(group, "foldMs", foldNanos);
        millis(group, "currentRowsMs", readNanos);
        millis(group, "rowsMs", rowsNanos);
        millis(group, "textMs", textNanos);
        millis(group, "uploadMs", uploadNanos);
        millis(group, "builderWaitMs", waitNanos);
        group.gauge("rowsWritten", rowsWritten::sum);
        group.gauge("unitsStaged", unitsStaged::sum);
        group.gauge("bytesStaged", bytesStaged::sum);
        group.gauge("currentUnitBytes", currentUnitBytes::get);
        group.gauge("rebuildMs", rebuildMs::get);
    }

    private static void millis(MetricGroup group, String name, LongAdder nanos) {
        group.gauge(name, () -> TimeUnit.NANOSECONDS.toMillis(nanos.sum()));
    }
}
