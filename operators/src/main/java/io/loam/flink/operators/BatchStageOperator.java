package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.CurrentRow;
import io.loam.flink.operators.CollectionElement.Letter;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.util.List;

/**
 * Stages a whole bounded input for one commit. It must follow a {@link BatchInputOperator} by its
 * key: the runtime then brings all elements of a key together, first the row it has, then the
 * operations in the order of their arrival. No state is kept, in Flink or here, beyond the batch
 * that fills.
 */
@Internal
public final class BatchStageOperator extends StagingOperator {
    private static final long serialVersionUID = 1L;
    private static final long BEFORE_ANY_CHECKPOINT = 0;

    private transient SortedIndex index;

    public BatchStageOperator(CollectionOpener opener, Ulid incarnation, StageOptions options) {
        super(opener, incarnation, options, JobType.BATCH);
    }

    @Override
    public void open() throws Exception {
        super.open();
        index = new SortedIndex();
        openStaging(
                index,
                UncommittedUnits.restored(List.of()),
                BEFORE_ANY_CHECKPOINT,
                new StageTimes());
    }

    @Override
    public void processElement(StreamRecord<CollectionElement> element) throws Exception {
        CollectionElement value = element.getValue();
        if (value instanceof CurrentRow current) {
            index.begin(current);
        } else if (value instanceof StageReport) {
            send(value);
        } else if (value instanceof Progress) {
            requireOffsets(value);
            send(value);
        } else {
            if (!(value instanceof Letter)) {
                index.arrive(value.routingKey());
            }
            stage(value);
        }
    }

    private void send(CollectionElement element) {
        output.collect(new StreamRecord<>(element));
    }

    @Override
    public void finish() throws Exception {
        for (StagedUnit unit : flush()) {
            send(new Unit(unit));
        }
    }
}
