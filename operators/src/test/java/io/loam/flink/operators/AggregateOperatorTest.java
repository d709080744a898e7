package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.staged.StagedUnit;
import io.loam.flink.operators.CollectionElement.Progress;
import io.loam.flink.operators.CollectionElement.StageReport;
import io.loam.flink.operators.CollectionElement.Unit;
import io.loam.flink.operators.TestCollection.Published;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.OffsetRange;
import io.loam.store.metastore.Lease;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;

import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AggregateOperatorTest {
    private static final Ulid INCARNATION = new Ulid(9, 9);
    private static final long TTL_MS = 300;

    @TempDir Path directory;
    private TestCollection collection;

    @BeforeEach
    void open() throws Exception {
        collection = new TestCollection(directory);
    }

    @AfterEach
    void close() throws Exception {
        collection.close();
    }

    /** The operator between what a sink writer sends and what a committer gets. */
    private final class Aggregate implements AutoCloseable {
        private final OneInputStreamOperatorTestHarness<
                        CommittableMessage<CollectionElement>,
                        CommittableMessage<CollectionCommittable>>
                harness;

        Aggregate(@Nullable OperatorSubtaskState state, long checkpoint) throws Exception {
            this(state, checkpoint, false);
        }

        Aggregate(@Nullable OperatorSubtaskState state, long checkpoint, boolean batch)
                throws Exception {
            harness =
                    new OneInputStreamOperatorTestHarness<>(
                            new AggregateOperator(
                                    collection.opener(),
                                    INCARNATION,
                                    new AggregateOptions(
                                            CommitMode.STREAM,
                                            "writer",
                                            "c",
                                            TTL_MS,
                                            batch,
                                            false)),
                            1,
                            1,
                            0);
            if (state != null) {
                harness.setRestoredCheckpointId(checkpoint);
                harness.initializeState(state);
            }
            harness.open();
        }

        Aggregate send(CollectionElement... elements) throws Exception {
            for (CollectionElement element : elements) {
                harness.processElement(new CommittableWithLineage<>(element, 1, 0), 0);
            }
            return this;
        }

        List<CollectionCommittable> barrier(long checkpoint) throws Exception {
            harness.prepareSnapshotPreBarrier(checkpoint);
            return committables(checkpoint);
        }

        private List<CollectionCommittable> committables(long checkpoint) {
            List<CollectionCommittable> committables = new ArrayList<>();
            int announced = 0;
            for (CommittableMessage<CollectionCommittable> message :
                    harness.extractOutputValues()) {
                if (message instanceof CommittableSummary<CollectionCommittable> summary) {
                    announced += summary.getNumberOfCommittables();
                    assertThat(summary.getCheckpointId()).isEqualTo(checkpoint);
                } else if (message
                        instanceof CommittableWithLineage<CollectionCommittable> committable) {
                    committables.add(committable.getCommittable());
                    assertThat(committable.getCommittable().checkpoint()).isEqualTo(checkpoint);
                }
            }
            assertThat(announced).isEqualTo(committables.size());
            harness.getOutput().clear();
            return committables;
        }

        @Override
        public void close() throws Exception {
            harness.getOperator().close(); // the harness would finish it first
        }
    }

    private static StageReport report(int subtask, @Nullable String repairedTo) {
        return new StageReport(subtask, 2, repairedTo);
    }

    private static Progress progress(int partition, long from, long to, long skipped) {
        return new Progress(partition, new OffsetRange(from, to, skipped));
    }

    private static Unit unit(long base) {
        return new Unit(
                new StagedUnit(
                        new Ulid(1, base),
                        1,
                        1,
                        base,
                        base,
                        1,
                        "f.lance",
                        1,
                        List.of(),
                        null,
                        0,
                        0,
                        0,
                        0));
    }

    @Test
    void makesOneCommittableOfACheckpoint() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(
                    report(0, ""),
                    unit(100),
                    progress(1, 5, 9, 1),
                    report(1, ""),
                    unit(100),
                    progress(1, 0, 5, 0));
            CollectionCommittable committable = aggregate.barrier(3).get(0);
            assertThat(committable.base()).isEmpty();
            assertThat(committable.units()).hasSize(2);
            assertThat(committable.progress()).containsEntry(1, new OffsetRange(0, 9, 1));
            assertThat(committable.records()).isEqualTo(8);
            assertThat(committable.incarnation()).isEqualTo(INCARNATION);
            assertThat(committable.writer()).isEqualTo("writer");
            aggregate.send(progress(1, 9, 10, 0));
            assertThat(aggregate.barrier(4).get(0).base()).isEqualTo(committable.commitId());
        }
    }

    @Test
    void anEmptyCheckpointMakesNone() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            assertThat(aggregate.barrier(1)).isEmpty();
            aggregate.send(report(0, ""), report(1, ""));
            assertThat(aggregate.barrier(2)).isEmpty();
        }
    }

    @Test
    void numbersTheEndOfInputAfterTheLastCheckpoint() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.barrier(6);
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            aggregate.harness.endInput();
            aggregate.harness.getOperator().finish();
            assertThat(aggregate.committables(7)).hasSize(1);
            assertThat(aggregate.barrier(7)).isEmpty();
        }
    }

    @Test
    void inBatchTheSameUnitsMakeTheSameCommitEvenAfterItIsPublished() throws Exception {
        String first = batchCommit();
        publish(first);
        assertThat(batchCommit()).isEqualTo(first);
        publish("foreign");
        assertThatThrownBy(this::batchCommit)
                .hasMessageContaining("another writer published commit foreign");
    }

    private String batchCommit() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0, true)) {
            aggregate.send(report(0, ""), report(1, ""), unit(100), progress(0, 0, 1, 0));
            aggregate.harness.getOneInputOperator().finish();
            return aggregate.committables(1).get(0).commitId();
        }
    }

    @Test
    void allSubtasksMustReport() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), progress(0, 0, 1, 0));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .hasMessageContaining("only subtasks [0] have reported");
        }
    }

    @Test
    void allSubtasksMustStandOnTheSame() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, "x"), report(1, "y"), progress(0, 0, 1, 0));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .hasMessageContaining("stand on different commits");
        }
    }

    @Test
    void unitsOfOneCheckpointShareABase() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), unit(100), unit(200));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .hasMessageContaining("numbered from different bases: [100, 200]");
        }
    }

    @Test
    void progressMustJoin() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(
                    report(0, ""), report(1, ""), progress(0, 0, 1, 0), progress(0, 2, 3, 0));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .hasMessageContaining("progress of partition 0 does not join");
        }
    }

    @Test
    void chainsOnFromItsState() throws Exception {
        OperatorSubtaskState state;
        String last;
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            last = aggregate.barrier(1).get(0).commitId();
            state = aggregate.harness.snapshot(1, 0);
        }
        // Published or still pending: either is of the lineage.
        for (boolean published : new boolean[] {false, true}) {
            if (published) {
                publish(last);
            }
            try (Aggregate aggregate = new Aggregate(state, 1)) {
                aggregate.send(report(0, null), report(1, null), progress(0, 1, 2, 0));
                assertThat(aggregate.barrier(2).get(0).base()).isEqualTo(last);
            }
        }
    }

    @Test
    void recordsAppliedSinceTheyWereDecodedFailTheCheckpoint() throws Exception {
        collection.publish(
                new Published("x", new Ulid(5, 5), 1, Map.of(2, 8L), Map.of(), List.of()));
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, "x"), report(1, "x"), progress(2, 5, 9, 0));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "partition 2 was read from offset 5, but version 1 has applied 8")
                    .hasMessageContaining("a restart goes on from there");
        }
    }

    @Test
    void stateAheadOfTheCollectionEndsTheJob() throws Exception {
        OperatorSubtaskState state;
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), progress(1, 0, 7, 0), unit(100));
            aggregate.barrier(1);
            // Its commit is published, which another copy of the warehouse does not know.
            state = aggregate.harness.snapshot(1, 0);
        }
        collection.publish(
                new Published("x", new Ulid(5, 5), 1, Map.of(1, 3L), Map.of(), List.of()));
        assertThatThrownBy(() -> new Aggregate(state, 1))
                .isInstanceOf(SuppressRestartsException.class)
                .rootCause()
                .hasMessageContaining("the restored state is ahead of the collection")
                .hasMessageContaining(
                        "Not published: offsets p1 3..7. Start the job without state");
    }

    /** The commit of checkpoint 1 on top of x, then a checkpoint with nothing to commit. */
    private OperatorSubtaskState idleAfterOne(boolean published) throws Exception {
        publish("x");
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, "x"), report(1, "x"), progress(1, 0, 7, 0), unit(100));
            String commit = aggregate.barrier(1).get(0).commitId();
            if (published) {
                publish(commit);
            }
            assertThat(aggregate.barrier(2)).isEmpty();
            return aggregate.harness.snapshot(2, 0);
        }
    }

    @Test
    void idleStateAheadByOnePublishedCommitEndsTheJob() throws Exception {
        OperatorSubtaskState state = idleAfterOne(true);
        collection.close();
        collection = new TestCollection(Files.createDirectory(directory.resolve("older")));
        publish("x");
        assertThatThrownBy(() -> new Aggregate(state, 2))
                .isInstanceOf(SuppressRestartsException.class)
                .rootCause()
                .hasMessageContaining("the restored state is ahead of the collection")
                .hasMessageContaining(
                        "Not published: offsets p1 0..7. Start the job without state");
    }

    @Test
    void idleStateWithAPendingCommitGoesOn() throws Exception {
        OperatorSubtaskState state = idleAfterOne(false);
        try (Aggregate aggregate = new Aggregate(state, 2)) {
            assertThat(aggregate.barrier(3)).isEmpty();
        }
    }

    @Test
    void anIdleCheckpointDoesNotFailForAnUnreadableCollection() throws Exception {
        FaultPlan plan = FaultPlan.scripted();
        collection.wrapObjects(new FailingObjectStore(collection.memory, plan));
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            String commit = aggregate.barrier(1).get(0).commitId();
            publish(commit);
            FaultPlan.Rule rule =
                    plan.rule(
                            call -> call.contains("/manifests/"),
                            use -> true,
                            FaultPlan.Fault.BEFORE);
            assertThat(aggregate.barrier(2)).isEmpty();
            assertThat(rule.fired()).isNotEmpty();
        }
    }

    @Test
    void anIdleCheckpointDoesNotMindAnotherWritersCommit() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            aggregate.barrier(1);
            publish("foreign");
            assertThat(aggregate.barrier(2)).isEmpty();
        }
    }

    @Test
    void anotherWritersLeaseIsWaitedOutBeforeAnythingElse() throws Exception {
        String key = collection.handle().paths().leaseKey();
        Lease held = collection.metastore.acquireLease(key, "other/incarnation", TTL_MS);
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            assertThat(collection.metastore.clockMs()).isGreaterThanOrEqualTo(held.expiresAtMs());
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            assertThat(aggregate.barrier(1)).hasSize(1);
        }
    }

    @Test
    void startsWhereTheIndexesWereRepairedTo() throws Exception {
        publish("x");
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, "x"), report(1, "x"), progress(0, 0, 1, 0));
            assertThat(aggregate.barrier(1).get(0).base()).isEqualTo("x");
        }
    }

    @Test
    void anotherWritersCommitFailsTheCheckpoint() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, ""), report(1, ""), progress(0, 0, 1, 0));
            aggregate.barrier(1);
            publish("foreign");
            aggregate.send(progress(0, 1, 2, 0));
            assertThatThrownBy(() -> aggregate.barrier(2))
                    .hasMessageContaining("another writer published commit foreign");
        }
    }

    @Test
    void restoredIndexesNeedARestoredLineage() throws Exception {
        try (Aggregate aggregate = new Aggregate(null, 0)) {
            aggregate.send(report(0, null), report(1, null), progress(0, 0, 1, 0));
            assertThatThrownBy(() -> aggregate.barrier(1))
                    .hasMessageContaining("start the job without state");
        }
    }

    @Test
    void extendsALeaseOfItsOwnerOnly() throws Exception {
        String key = collection.handle().paths().leaseKey();
        String owner = WriterNames.owner("writer", INCARNATION);
        Lease taken = collection.metastore.acquireLease(key, owner, 60_000);
        try (LeaseExtender lease = new LeaseExtender(collection.metastore, key, owner, 60_000)) {
            lease.extend();
            Lease extended = collection.metastore.lease(key).orElseThrow();
            assertThat(extended.epoch()).isEqualTo(taken.epoch());
            assertThat(extended.expiresAtMs()).isGreaterThanOrEqualTo(taken.expiresAtMs());
            Lease other = collection.metastore.takeOverLease(key, "another", 60_000);
            lease.extend();
            assertThat(collection.metastore.lease(key)).hasValue(other);
        }
    }

    private void publish(String commitId) throws Exception {
        collection.publish(new Published(commitId, INCARNATION, 1, Map.of(), Map.of(), List.of()));
    }
}
