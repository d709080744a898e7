package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.commit.OffsetRange;
import io.loam.store.verify.LogReader;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One attempt of a job over a {@link FaultWorld}: the staging operator, the aggregating one and the
 * committer, called in the order a task manager calls them.
 */
final class FaultJob implements AutoCloseable {
    private static final int MAX_PARALLELISM = 8;
    private static final String WRITER = "writer";

    /** What a completed checkpoint keeps. */
    record Snapshot(
            long checkpoint,
            OperatorSubtaskState stage,
            OperatorSubtaskState aggregate,
            long[] positions,
            List<CollectionCommittable> pending) {}

    private final FaultWorld world;
    private final KeyedOneInputStreamOperatorTestHarness<
                    PrimaryKey, CollectionElement, CollectionElement>
            stage;
    private final OneInputStreamOperatorTestHarness<
                    CommittableMessage<CollectionElement>,
                    CommittableMessage<CollectionCommittable>>
            aggregate;
    private final String owner;
    private final long[] positions = new long[FaultWorld.PARTITIONS];
    private final List<CollectionCommittable> pending = new ArrayList<>();
    private @Nullable CollectionHandle committing;
    private @Nullable LinkApplyCommitter committer;
    private @Nullable LeaseExtender lease;
    private boolean stageOpened;
    private boolean aggregateOpened;
    private long checkpoint;

    FaultJob(FaultWorld world, Ulid incarnation, Path directory) throws Exception {
        this.world = world;
        this.owner = WriterNames.owner(WRITER, incarnation);
        StageOptions options =
                new StageOptions(
                        CommitMode.STREAM, 1 << 20, 4, 1 << 20, 6, 2, false, directory.toString());
        stage =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new StageOperator(world.opener(), incarnation, options),
                        CollectionElement::routingKey,
                        KeyTypes.KEY,
                        MAX_PARALLELISM,
                        1,
                        0);
        stage.setup(CollectionElementSerializer.INSTANCE);
        aggregate =
                new OneInputStreamOperatorTestHarness<>(
                        new AggregateOperator(
                                world.opener(),
                                incarnation,
                                new AggregateOptions(
                                        CommitMode.STREAM,
                                        WRITER,
                                        "default.docs",
                                        CommitterOptions.DEFAULT_LEASE_TTL_MS,
                                        false,
                                        false)),
                        1,
                        1,
                        0);
    }

    /** Opens the operators, from a snapshot if there is one, and publishes what it left. */
    void open(@Nullable Snapshot restored) throws Exception {
        if (restored != null) {
            checkpoint = restored.checkpoint();
            stage.setRestoredCheckpointId(checkpoint);
            stage.initializeState(restored.stage());
            aggregate.setRestoredCheckpointId(checkpoint);
            aggregate.initializeState(restored.aggregate());
            System.arraycopy(restored.positions(), 0, positions, 0, positions.length);
            pending.addAll(restored.pending());
        }
        stageOpened = true;
        stage.open();
        aggregateOpened = true;
        aggregate.open();
        commit(Long.MAX_VALUE, true);
        try (CollectionHandle handle = world.handle()) {
            handle.live()
                    .manifest()
                    .applied()
                    .forEach((p, applied) -> positions[p] = Math.max(positions[p], applied));
        }
    }

    /** Checkpoints from now on get ids above one that an earlier attempt used. */
    void countFrom(long used) {
        checkpoint = Math.max(checkpoint, used);
    }

    /** Everything of the log up to a step becomes a checkpoint; it is not complete yet. */
    Snapshot checkpoint(int step) throws Exception {
        read(step);
        return snapshot();
    }

    /** The input ends at a step of the log; the final checkpoint is not complete yet. */
    Snapshot finish(int step) throws Exception {
        read(step);
        stage.endInput();
        stage.getOperator().finish();
        passToAggregate();
        aggregate.endInput();
        aggregate.getOperator().finish();
        return snapshot();
    }

    private void read(int step) throws Exception {
        for (int partition = 0; partition < FaultWorld.PARTITIONS; partition++) {
            long from = positions[partition];
            long to = FaultWorld.end(step, partition);
            for (LogReader.LogRecord record : FaultWorld.LOG.from(partition, from)) {
                if (record.offset() < to) {
                    element(
                            Decoder.decode(
                                    new LogRecord(
                                            partition,
                                            record.offset(),
                                            record.key(),
                                            record.value())));
                }
            }
            if (to > from) {
                element(new Progress(partition, new OffsetRange(from, to, 0)));
                positions[partition] = to;
            }
        }
    }

    private void passToAggregate() throws Exception {
        for (CollectionElement staged : stage.extractOutputValues()) {
            aggregate.processElement(new CommittableWithLineage<>(staged, checkpoint, 0), 0);
        }
        stage.getOutput().clear();
    }

    private Snapshot snapshot() throws Exception {
        checkpoint++;
        stage.prepareSnapshotPreBarrier(checkpoint);
        passToAggregate();
        aggregate.prepareSnapshotPreBarrier(checkpoint);
        for (CommittableMessage<CollectionCommittable> message : aggregate.extractOutputValues()) {
            if (message instanceof CommittableWithLineage<CollectionCommittable> made) {
                pending.add(made.getCommittable());
            }
        }
        aggregate.getOutput().clear();
        return new Snapshot(
                checkpoint,
                stage.snapshot(checkpoint, 0),
                aggregate.snapshot(checkpoint, 0),
                positions.clone(),
                List.copyOf(pending));
    }

    private void element(CollectionElement element) throws Exception {
        stage.processElement(element, 0);
    }

    /** What happens when the last checkpoint is complete. */
    void complete() throws Exception {
        complete(checkpoint);
    }

    /** Everybody is told that a checkpoint is complete; so is all that came before it. */
    void complete(long id) throws Exception {
        stage.notifyOfCompletedCheckpoint(id);
        aggregate.notifyOfCompletedCheckpoint(id);
        commit(id, false);
        if (lease == null) {
            lease =
                    new LeaseExtender(
                            world.handle().metastore(),
                            world.handle().paths().leaseKey(),
                            owner,
                            CommitterOptions.DEFAULT_LEASE_TTL_MS);
        }
        lease.extend();
    }

    /** Everybody is told that a checkpoint will never be complete. */
    void abort(long id) throws Exception {
        stage.getOperator().notifyCheckpointAborted(id);
        aggregate.getOperator().notifyCheckpointAborted(id);
    }

    private void commit(long upTo, boolean recovered) throws IOException {
        if (pending.isEmpty()) {
            return;
        }
        if (committer == null) {
            committing = world.handle();
            committer =
                    new LinkApplyCommitter(committing, CommitterOptions.of(owner), world::pause);
        }
        while (!pending.isEmpty() && pending.get(0).checkpoint() <= upTo) {
            committer.commit(pending.get(0), recovered);
            pending.remove(0);
        }
    }

    @Override
    public void close() throws Exception {
        try (CollectionHandle closingHandle = committing;
                LinkApplyCommitter closingCommitter = committer;
                LeaseExtender closingLease = lease) {
            committer = null;
        } finally {
            kill();
        }
    }

    /** Ends without giving the lease up. */
    void kill() throws Exception {
        try {
            if (stageOpened) {
                stage.getOperator().close(); // the harness would finish it first
            }
        } finally {
            if (aggregateOpened) {
                aggregate.getOperator().close();
            }
        }
    }
}
