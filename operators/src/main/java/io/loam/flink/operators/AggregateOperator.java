package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.LeaseGate;
import io.loam.store.commit.LineageCheck;
import io.loam.store.commit.OffsetRange;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Makes one committable of all that the staging subtasks sent for a checkpoint. Parallelism 1.
 *
 * <pre>
 * opened          waits while another writer holds the apply lease, or takes it over; restored
 *                 state that is ahead of the collection ends the job for good
 *                 nothing is emitted until every staging subtask has reported
 * reported        all the same: the lineage starts at the commit they were repaired to, or goes on
 *                 as restored; else the attempt fails
 * per checkpoint  the live manifest's last apply commit must be of the lineage, and the first
 *                 progress must not begin below the applied offsets, else the attempt fails before
 *                 the checkpoint can complete; a committable chains to the lineage
 * </pre>
 *
 * A checkpoint without units and progress makes no committable, and only looks which commits of the
 * lineage are published by now. The lineage is operator state, and so is how far it reaches.
 */
@Internal
public final class AggregateOperator
        extends AbstractStreamOperator<CommittableMessage<CollectionCommittable>>
        implements OneInputStreamOperator<
                CommittableMessage<CollectionElement>, CommittableMessage<CollectionCommittable>> {
    private static final long serialVersionUID = 1L;
    private static final ListStateDescriptor<String> LINEAGE =
            new ListStateDescriptor<>("lineage", Types.STRING);
    private static final ListStateDescriptor<PartitionOffset> OFFSETS =
            new ListStateDescriptor<>("staged-offsets", PartitionOffset.TYPE);
    private static final ListStateDescriptor<Long> ROW_ID_END =
            new ListStateDescriptor<>("row-id-end", Types.LONG);

    private final CollectionOpener opener;
    private final Ulid incarnation;
    private final AggregateOptions options;

    private transient ListState<String> lineageState;
    private transient ListState<PartitionOffset> offsetState;
    private transient ListState<Long> rowIdEndState;
    private transient CommitLineage lineage;
    private transient StagedReach reach;
    private transient CommitGathering gathering;
    private transient long lastCheckpoint;
    private transient boolean agreed;
    private transient OpenedCollection opened;
    private transient LeaseExtender lease;
    private transient String writer;
    private transient long committables;

    public AggregateOperator(CollectionOpener opener, Ulid incarnation, AggregateOptions options) {
        this.opener = opener;
        this.incarnation = incarnation;
        this.options = options;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        lineageState = context.getOperatorStateStore().getListState(LINEAGE);
        offsetState = context.getOperatorStateStore().getListState(OFFSETS);
        rowIdEndState = context.getOperatorStateStore().getListState(ROW_ID_END);
        lineage = CommitLineage.restored(lineageState.get());
        reach = StagedReach.restored(offsetState.get(), rowIdEndState.get());
        gathering = new CommitGathering();
        lastCheckpoint = context.getRestoredCheckpointId().orElse(0);
    }

    @Override
    public void open() throws Exception {
        super.open();
        CheckpointingRules.checkRunning(this);
        opened = opener.open();
        CollectionHandle collection = opened.collection();
        requireMode(collection);
        writer =
                WriterNames.writer(
                        options.writer(),
                        getRuntimeContext().getJobInfo().getJobName(),
                        options.collection());
        String owner = WriterNames.owner(writer, incarnation);
        passGate(collection, owner);
        requireNotAhead(collection);
        lease =
                new LeaseExtender(
                        collection.metastore(),
                        collection.paths().leaseKey(),
                        owner,
                        options.leaseTtlMs());
        lease.start();
        getMetricGroup().gauge("committables", () -> committables);
    }

    private void passGate(CollectionHandle collection, String owner) throws IOException {
        LeaseGate gate =
                new LeaseGate(collection.metastore(), collection.paths().leaseKey(), owner::equals);
        if (options.takeOver()) {
            gate.takeOver(owner, options.leaseTtlMs());
        } else {
            gate.awaitExpiry();
        }
    }

    /** A restart would restore the same state again. */
    private void requireNotAhead(CollectionHandle collection) throws IOException {
        try {
            LineageCheck.requireNotAhead(
                    ManifestChain.of(collection),
                    lineage.commits(),
                    reach.offsets(),
                    reach.rowIdEnd());
        } catch (CommitRefusedException e) {
            throw new SuppressRestartsException(e);
        }
    }

    /** A restart would meet the same collection again. */
    private void requireMode(CollectionHandle collection) throws IOException {
        Optional<String> contradiction =
                options.mode()
                        .contradiction(
                                collection.info().namespace() + "." + collection.info().name(),
                                collection.live().manifest());
        if (contradiction.isPresent()) {
            throw new SuppressRestartsException(new IllegalStateException(contradiction.get()));
        }
    }

    @Override
    public void processElement(StreamRecord<CommittableMessage<CollectionElement>> element) {
        if (element.getValue() instanceof CommittableWithLineage<CollectionElement> message) {
            gathering.add(message.getCommittable());
        }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        aggregate(checkpointId);
    }

    @Override
    public void finish() throws Exception {
        // Committables at the end of input are numbered after the last checkpoint, like the
        // writers' own.
        aggregate(lastCheckpoint + 1);
    }

    private void aggregate(long checkpoint) throws IOException {
        lastCheckpoint = Math.max(lastCheckpoint, checkpoint);
        if (!agreed && (gathering.isReported() || !gathering.isEmpty())) {
            agree();
        }
        if (!gathering.isEmpty()) {
            emit(checkpoint);
        } else {
            forgetPublished();
        }
    }

    /**
     * Nothing to emit, but a snapshot that still knows the commit below the live one could not be
     * told from one whose last commit is pending, and would not be refused where that commit never
     * came to be. It can wait, and is nothing to fail for.
     */
    private void forgetPublished() {
        if (!lineage.isAhead()) {
            return;
        }
        try {
            lineage.forgetBelow(lastCommit(opened.collection().live().manifest()));
        } catch (IOException e) {
            LOG.warn("which commits are published could not be read", e);
        }
    }

    private static String lastCommit(CollectionManifest manifest) {
        return manifest.properties().getOrDefault(ManifestProperties.COMMIT_ID, "");
    }

    private void agree() {
        gathering.agreement().ifPresent(lineage::startAt);
        if (lineage.isEmpty()) {
            throw new IllegalStateException(
                    "the key indexes were restored, but not the commit they stand on; start the"
                            + " job without state");
        }
        agreed = true;
    }

    private void emit(long checkpoint) throws IOException {
        CollectionManifest live = opened.collection().live().manifest();
        String last = lastCommit(live);
        CollectionCommittable committable = committable(checkpoint);
        if (committable.base().equals(last)) {
            requireNotApplied(committable, live);
        }
        lineage.add(committable.commitId());
        lineage.observe(last);
        reach.add(committable);
        committables++;
        output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, checkpoint, 1, 0)));
        output.collect(
                new StreamRecord<>(new CommittableWithLineage<>(committable, checkpoint, 0)));
        FailPoint.AGGREGATED.reach();
    }

    /**
     * Decoding begins where the collection stood when it was opened. If another writer published
     * after that, and before the indexes were opened, some records would be applied twice.
     */
    private static void requireNotApplied(
            CollectionCommittable committable, CollectionManifest live) {
        committable
                .progress()
                .forEach(
                        (partition, range) -> {
                            long applied = live.applied().getOrDefault(partition, 0L);
                            if (range.from() < applied) {
                                throw new IllegalStateException(
                                        "partition "
                                                + partition
                                                + " was read from offset "
                                                + range.from()
                                                + ", but version "
                                                + live.version()
                                                + " has applied "
                                                + applied
                                                + ", as another writer published while this job"
                                                + " was opened; a restart goes on from there");
                            }
                        });
    }

    private CollectionCommittable committable(long checkpoint) {
        List<StagedUnit> units = gathering.takeUnits();
        Map<Integer, OffsetRange> progress = gathering.takeProgress();
        long records =
                options.mode() == CommitMode.STREAM
                        ? progress.values().stream()
                                .mapToLong(range -> range.to() - range.from() - range.skipped())
                                .sum()
                        : units.stream()
                                .mapToLong(unit -> unit.keyChanges() + unit.deadLetters())
                                .sum();
        String commitId =
                options.batch()
                        ? BatchCommitId.of(lineage.base(), units, progress)
                        : UUID.randomUUID().toString();
        return new CollectionCommittable(
                commitId,
                lineage.base(),
                incarnation,
                checkpoint,
                options.mode(),
                writer,
                getRuntimeContext().getJobInfo().getJobName(),
                records,
                units,
                progress);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        lineageState.update(lineage.commits());
        offsetState.update(reach.partitionOffsets());
        rowIdEndState.update(List.of(reach.rowIdEnd()));
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            Resources.close(lease, opened);
        }
    }
}
