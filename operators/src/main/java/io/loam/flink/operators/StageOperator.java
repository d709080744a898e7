package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LocalFiles;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Stages the operations of its keys: folds them, resolves keys in the index it keeps as keyed
 * state, and uploads units. Everything that came before a barrier is uploaded before it.
 *
 * <p>On opening, the index is kept, repaired or rebuilt so that it stands on the live manifest plus
 * what the restored checkpoint still has to publish; a report that goes out first says which.
 *
 * <pre>
 * keyed state   key to row id, uncommitted changes included
 * union state   marks: incarnation, checkpoint, tip and start of each subtask's index
 * union state   uncommitted units: where rows can be read that no manifest holds yet
 * </pre>
 */
@Internal
public final class StageOperator extends AbstractStreamOperator<CollectionElement>
        implements OneInputStreamOperator<CollectionElement, CollectionElement> {
    private static final long serialVersionUID = 1L;
    private static final int PRUNE_ABOVE_UNITS = 64;
    private static final ListStateDescriptor<StageMark> MARKS =
            new ListStateDescriptor<>("index-marks", StageMark.TYPE);
    private static final ListStateDescriptor<UncommittedUnit> UNITS =
            new ListStateDescriptor<>("uncommitted-units", UncommittedUnit.TYPE);

    private final CollectionOpener opener;
    private final Ulid incarnation;
    private final StageOptions options;

    private transient ListState<StageMark> marks;
    private transient ListState<UncommittedUnit> unitState;
    private transient long lastCheckpoint;
    private transient OpenedCollection opened;
    private transient Path directory;
    private transient UncommittedUnits uncommitted;
    private transient RowReader reader;
    private transient RowIdAllocator ids;
    private transient UnitWorker worker;
    private transient Stager stager;
    private transient IndexOpening opening;
    private transient long tip;
    private transient boolean reported;
    private transient boolean emitted;

    public StageOperator(CollectionOpener opener, Ulid incarnation, StageOptions options) {
        this.opener = opener;
        this.incarnation = incarnation;
        this.options = options;
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
        CheckpointingRules.checkRunning(this);
        opened = opener.open();
        CollectionHandle collection = opened.collection();
        TaskInfo task = getRuntimeContext().getTaskInfo();
        KeyIndex index = new KeyedIndex(this.<PrimaryKey>getKeyedStateBackend(), task);
        uncommitted = UncommittedUnits.restored(unitState.get());
        opening =
                IndexOpening.open(
                        collection, incarnation, StageMark.join(marks.get()), index, uncommitted);
        tip = opening.tip();
        ids = allocator(collection, task);
        StageTimes times = new StageTimes();
        times.rebuildMs.set(opening.rebuildMs());
        times.register(getMetricGroup());
        directory = makeDirectory(task);
        worker =
                new UnitWorker(
                        collection,
                        new UnitUploader(collection.objects(), collection.paths(), incarnation),
                        options,
                        directory,
                        times,
                        "loam-units-" + task.getIndexOfThisSubtask());
        reader = new RowReader(collection, uncommitted);
        stager = new Stager(collection, index, ids, uncommitted, reader, worker, options, times);
        getMetricGroup().gauge("numDeadLetters", stager::schemaLetters);
        getMetricGroup().gauge("uncommittedUnits", uncommitted::size);
    }

    private RowIdAllocator allocator(CollectionHandle collection, TaskInfo task)
            throws IOException {
        CollectionManifest live = collection.live().manifest();
        String highestKey = ManifestProperties.HIGHEST_PREFIX + incarnation;
        long highest =
                live.properties().containsKey(highestKey)
                        ? ManifestProperties.number(live.properties(), highestKey)
                        : 0;
        long arena = Math.max(lastCheckpoint, highest) + 1;
        long base =
                collection
                        .metastore()
                        .rowIdBase(
                                collection.info().id(), incarnation, arena, live.rowIdHighWater());
        FailPoint.ROW_IDS.reach();
        return new RowIdAllocator(
                base, task.getIndexOfThisSubtask(), task.getNumberOfParallelSubtasks(), arena);
    }

    private Path makeDirectory(TaskInfo task) throws IOException {
        Path parent =
                options.directory() != null
                        ? Path.of(options.directory())
                        : Path.of(
                                getContainingTask()
                                        .getEnvironment()
                                        .getIOManager()
                                        .getSpillingDirectoriesPaths()[0]);
        Files.createDirectories(parent);
        return Files.createTempDirectory(
                parent, "loam-stage-" + task.getIndexOfThisSubtask() + "-");
    }

    @Override
    public void processElement(StreamRecord<CollectionElement> element) throws Exception {
        report();
        CollectionElement value = element.getValue();
        if (value instanceof Progress) {
            stager.requireOffsets(value);
            emit(value);
        } else {
            stager.add(value);
        }
    }

    private void report() {
        if (!reported) {
            TaskInfo task = getRuntimeContext().getTaskInfo();
            reported = true;
            output.collect(
                    new StreamRecord<>(
                            new StageReport(
                                    task.getIndexOfThisSubtask(),
                                    task.getNumberOfParallelSubtasks(),
                                    opening.repairedTo())));
        }
    }

    private void emit(CollectionElement element) {
        emitted = true;
        output.collect(new StreamRecord<>(element));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        stage(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        // The sink numbers what comes at the end of input like this, too.
        stage(lastCheckpoint + 1);
    }

    private void stage(long checkpoint) throws IOException, InterruptedException {
        report();
        for (StagedUnit unit : stager.flush()) {
            emit(new Unit(unit));
        }
        if (emitted) {
            tip = checkpoint;
            emitted = false;
        }
        FailPoint.STAGED.reach();
        lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
        ids.enter(lastCheckpoint + 1);
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
                                opening.startedFrom())));
        boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
        unitState.update(uncommitted.snapshot(first));
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        if (uncommitted.size() > PRUNE_ABOVE_UNITS) {
            reader.prune();
        }
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            Resources.close(worker, reader, opened, this::deleteDirectory);
        }
    }

    private void deleteDirectory() throws IOException {
        if (directory != null) {
            LocalFiles.delete(directory);
        }
    }
}
