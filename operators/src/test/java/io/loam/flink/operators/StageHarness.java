package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.record.Operation;
import io.loam.codec.staged.DeadLetterPartCodec;
import io.loam.codec.staged.KeyChange;
import io.loam.codec.staged.KeyListCodec;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.commit.CommitMode;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A staging operator and the objects it leaves. */
final class StageHarness implements AutoCloseable {
    static final Ulid INCARNATION = new Ulid(77, 1);
    static final int MAX_PARALLELISM = 8;

    private final TestCollection collection;
    private final KeyedOneInputStreamOperatorTestHarness<
                    PrimaryKey, CollectionElement, CollectionElement>
            harness;
    private long offset;

    StageHarness(TestCollection collection, StageOptions options, int parallelism, int subtask)
            throws Exception {
        this(collection, INCARNATION, options, parallelism, subtask);
    }

    StageHarness(
            TestCollection collection,
            Ulid incarnation,
            StageOptions options,
            int parallelism,
            int subtask)
            throws Exception {
        this.collection = collection;
        this.harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new StageOperator(collection.opener(), incarnation, options),
                        CollectionElement::routingKey,
                        KeyTypes.KEY,
                        MAX_PARALLELISM,
                        parallelism,
                        subtask);
        harness.setup(CollectionElementSerializer.INSTANCE);
    }

    static StageOptions options(int batchRecords, long unitRows) {
        return options(CommitMode.STREAM, batchRecords, unitRows);
    }

    static StageOptions options(CommitMode mode, int batchRecords, long unitRows) {
        return new StageOptions(mode, 1 << 20, batchRecords, 1 << 20, unitRows, 2, false, null);
    }

    StageHarness open() throws Exception {
        harness.open();
        return this;
    }

    StageHarness restore(OperatorSubtaskState state, long checkpoint) throws Exception {
        harness.setRestoredCheckpointId(checkpoint);
        harness.initializeState(state);
        harness.open();
        return this;
    }

    void apply(Operation operation) throws Exception {
        element(TestCollection.op(operation, offset++));
    }

    void element(CollectionElement element) throws Exception {
        harness.processElement(element, 0);
    }

    /** Passes a barrier; returns what the operator has emitted so far. */
    List<CollectionElement> barrier(long checkpoint) throws Exception {
        harness.prepareSnapshotPreBarrier(checkpoint);
        return out();
    }

    List<CollectionElement> out() {
        List<CollectionElement> values = new ArrayList<>(harness.extractOutputValues());
        harness.getOutput().clear();
        return values;
    }

    void complete(long checkpoint) throws Exception {
        harness.notifyOfCompletedCheckpoint(checkpoint);
    }

    /** Units that no manifest is known to hold. */
    int uncommittedUnits() {
        return ((StageOperator) harness.getOperator()).uncommittedUnits();
    }

    OperatorSubtaskState snapshot(long checkpoint) throws Exception {
        return harness.snapshot(checkpoint, 0);
    }

    void finish() throws Exception {
        harness.endInput();
        harness.getOperator().finish();
    }

    int indexSize() {
        return harness.numKeyedStateEntries();
    }

    @Nullable
    Long row(String key) throws Exception {
        return new KeyedIndex(
                        harness.getOperator().<PrimaryKey>getKeyedStateBackend(),
                        harness.getOperator().getRuntimeContext().getTaskInfo())
                .row(TestCollection.key(key));
    }

    static List<StagedUnit> units(List<CollectionElement> elements) {
        return elements.stream()
                .filter(CollectionElement.Unit.class::isInstance)
                .map(element -> ((CollectionElement.Unit) element).unit())
                .toList();
    }

    List<KeyChange> changes(StagedUnit unit) throws IOException {
        String path = collection.handle().paths().stagedKeys(unit.unit());
        return KeyListCodec.decode(collection.memory.get(path), path);
    }

    List<DeadLetter> letters(StagedUnit unit) throws IOException {
        String path = collection.handle().paths().stagedDeadLetters(unit.unit());
        return DeadLetterPartCodec.decode(collection.memory.get(path), path);
    }

    @Override
    public void close() throws Exception {
        harness.getOperator().close(); // the harness would finish it first
    }
}
