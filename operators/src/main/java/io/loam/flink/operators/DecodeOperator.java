package io.loam.flink.operators;

import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.store.FailPoint;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Takes records by their keys and marks progress. It must follow its source by {@code forward}: a
 * marker covers the records before it only while one subtask sees a partition whole and in order.
 *
 * <p>Before each barrier, and at the end of input, a marker goes out for every partition that
 * advanced. Where partitions stand is union list state, as partitions may move between subtasks.
 */
@Internal
public final class DecodeOperator extends AbstractStreamOperator<CollectionElement>
        implements OneInputStreamOperator<LogRecord, CollectionElement> {
    private static final long serialVersionUID = 1L;
    private static final ListStateDescriptor<PartitionOffset> OFFSETS =
            new ListStateDescriptor<>("next-offsets", PartitionOffset.TYPE);

    private final CollectionOpener opener;
    private transient ProgressTracker progress;
    private transient ListState<PartitionOffset> offsets;
    private transient Counter deadLetters;
    private transient Counter dropped;
    private transient Counter skipped;

    public DecodeOperator(CollectionOpener opener) {
        this.opener = opener;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        offsets = context.getOperatorStateStore().getUnionListState(OFFSETS);
        try (OpenedCollection opened = opener.open()) {
            progress =
                    ProgressTracker.startingAt(
                            offsets.get(), opened.collection().live().manifest().applied());
            FailPoint.DECODE_OPENED.reach();
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        CheckpointingRules.checkRunning(this);
        deadLetters = getMetricGroup().counter("numDeadLetters");
        dropped = getMetricGroup().counter("numRecordsBelowApplied");
        skipped = getMetricGroup().counter("numSkippedOffsets");
    }

    @Override
    public void processElement(StreamRecord<LogRecord> element) {
        LogRecord record = element.getValue();
        if (!progress.advance(record.partition(), record.offset())) {
            dropped.inc();
            return;
        }
        CollectionElement decoded = Decoder.decode(record);
        if (decoded instanceof Letter) {
            deadLetters.inc();
        }
        output.collect(new StreamRecord<>(decoded));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        emitProgress();
    }

    @Override
    public void finish() {
        emitProgress();
    }

    private void emitProgress() {
        for (CollectionElement.Progress marker : progress.drain()) {
            skipped.inc(marker.range().skipped());
            output.collect(new StreamRecord<>(marker));
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
        offsets.update(progress.snapshot(first));
    }
}
