package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.store.FailPoint;
import io.loam.store.commit.LeaseGate;

import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.VisibleForTesting;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.io.IOException;
import java.util.List;

/**
 * Stages the operations of its keys: folds them, resolves keys in the index it keeps as keyed
 * state, and uploads units. Everything that came before a barrier is uploaded before it.
 *
 * <p>On opening, once no other writer holds the apply lease, the index is kept, repaired or rebuilt
 * so that it stands on the live manifest plus what the restored checkpoint still has to publish; a
 * report that goes out first says which.
 *
 * <pre>
 * keyed state   key to row id, uncommitted changes included
 * union state   marks: incarnation, checkpoint, tip and start of each subtask's index
 * union state   uncommitted units: where rows can be read that no manifest holds yet
 * </pre>
 */
@Internal
public final class StageOperator extends StagingOperator {
    private static final long serialVersionUID = 1L;
    private static final int PRUNE_ABOVE_UNITS = 64;
    private static final ListStateDescriptor<StageMark> MARKS =
            new ListStateDescriptor<>("index-marks", StageMark.TYPE);
    private static final ListStateDescriptor<UncommittedUnit> UNITS =
            new ListStateDescriptor<>("uncommitted-units", UncommittedUnit.TYPE);

    private transient ListState<StageMark> marks;
    private transient ListState<UncommittedUnit> unitState;
    private transient long lastCheckpoint;
    private transient UncommittedUnits uncommitted;
    private transient IndexOpening opening;
    private transient long tip;
    private transient boolean reported;
    private transient boolean emitted;

    public StageOperator(CollectionOpener opener, Ulid incarnation, StageOptions options) {
        super(opener, incarnation, options, JobType.STREAMING);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        marks = context.getOperatorStateStore().getUnionListState(MARKS);
        unitState = context.getOperatorStateStore().getUnionListState(UNITS);
        lastCheckpoint = context.getRestoredCheckpointId().orElse(0);
    }

    @Override
    public void open() throws Exception {
        super.open();
        new LeaseGate(
                        collection().metastore(),
                        collection().paths().leaseKey(),
                        owner -> WriterNames.isOwner(owner, incarnation))
                .await();
        KeyedIndex index = new KeyedIndex(this.<PrimaryKey>getKeyedStateBackend(), task());
        uncommitted = UncommittedUnits.restored(unitState.get());
        opening =
                IndexOpening.open(
                        collection(), incarnation, StageMark.join(marks.get()), index, uncommitted);
        tip = opening.tip();
        StageTimes times = new StageTimes();
        times.rebuildMs.set(opening.rebuildMs());
        openStaging(index, uncommitted, lastCheckpoint, times);
    }

    @Override
    public void processElement(StreamRecord<CollectionElement> element) throws Exception {
        report();
        CollectionElement value = element.getValue();
        if (value instanceof Progress) {
            requireOffsets(value);
            emit(value);
        } else {
            stage(value);
        }
    }

    private void report() {
        if (!reported) {
            reported = true;
            output.collect(
                    new StreamRecord<>(
                            new StageReport(
                                    task().getIndexOfThisSubtask(),
                                    task().getNumberOfParallelSubtasks(),
                                    opening.repairedTo())));
        }
    }

    private void emit(CollectionElement element) {
        emitted = true;
        output.collect(new StreamRecord<>(element));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        stageAll(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        // The sink numbers what comes at the end of input like this, too.
        stageAll(lastCheckpoint + 1);
    }

    private void stageAll(long checkpoint) throws IOException, InterruptedException {
        report();
        for (StagedUnit unit : flush()) {
            emit(new Unit(unit));
        }
        if (emitted) {
            tip = checkpoint;
            emitted = false;
        }
        FailPoint.STAGED.reach();
        lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
        enterArena(lastCheckpoint + 1);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        marks.update(
                List.of(
                        new StageMark(
                                incarnation,
                                context.getCheckpointId(),
                                tip,
                                opening.startedFrom(),
                                opening.inherited())));
        boolean first = task().getIndexOfThisSubtask() == 0;
        unitState.update(uncommitted.snapshot(first));
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        if (uncommitted.size() > PRUNE_ABOVE_UNITS) {
            prune();
        }
    }

    @VisibleForTesting
    int uncommittedUnits() {
        return uncommitted.size();
    }
}
