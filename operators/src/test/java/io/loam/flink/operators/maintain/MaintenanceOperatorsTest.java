package io.loam.flink.operators.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.maintain.RoundLeases.Taken;
import io.loam.store.maintain.RoundReport;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.maintain.TaskResult;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestWriter;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarness;
import org.apache.flink.streaming.runtime.tasks.TwoInputStreamTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Each operator as a Flink task, with work that blocks, fails, or comes in another order. */
class MaintenanceOperatorsTest extends MaintenanceTaskTestBase {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("side job").withMerge(MergePolicy.DEFAULT.withFactors(2, 4));
    private static final long COLLECTION = 1;
    private static final String LEASE = TaskKeys.lease(TaskKeys.mergeSplits(COLLECTION));

    @BeforeEach
    void open() throws IOException {
        open(System::currentTimeMillis);
        TestWriter writer = collection.writer();
        LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
        for (int key = 0; key < 3; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
            committer.commit(writer.checkpoint(1), false);
        }
    }

    private StreamTaskMailboxTestHarness<TaskOrder> planner() throws Exception {
        return start(
                oneInput(Types.LONG, MessageTypes.ORDER),
                new PlanOperator(opener(), new CollectionSelection("default", List.of()), OPTIONS));
    }

    private StreamTaskMailboxTestHarness<RoundPart> runner() throws Exception {
        return start(
                oneInput(MessageTypes.ORDER, MessageTypes.PART),
                new RunOperator(opener(), OPTIONS, 1, directory.resolve("work").toString()));
    }

    private StreamTaskMailboxTestHarness<MaintenanceReport> publisher() throws Exception {
        return start(
                new TaskBuilder<>(TwoInputStreamTask::new, MessageTypes.REPORT)
                        .addInput(MessageTypes.ROUND)
                        .addInput(MessageTypes.PART),
                new PublishOperator(opener(), OPTIONS));
    }

    private TaskOrder order() throws IOException {
        return new TaskOrder("round", COLLECTION, merge());
    }

    private MergeSplits merge() throws IOException {
        return new MergeSplits(
                collection.open().live().manifest().splits().stream().map(SplitRef::ulid).toList());
    }

    private OpenedRound round(int taskCount) throws IOException {
        long epoch =
                collection
                        .warehouse()
                        .metastore()
                        .acquireLease(LEASE, "round", OPTIONS.leaseTtlMs())
                        .epoch();
        return new OpenedRound(
                "round", COLLECTION, "default.docs", List.of(new Taken(LEASE, epoch)), taskCount);
    }

    private String leaseOwner() throws IOException {
        return collection.warehouse().metastore().lease(LEASE).orElseThrow().owner();
    }

    @Test
    void aRoundIsPlannedOnceAtATime() throws Exception {
        StreamTaskMailboxTestHarness<TaskOrder> planner = planner();
        planner.processElement(new StreamRecord<>(0L));
        TaskOrder order = await(planner, 1).get(0);
        assertThat(order.task()).isEqualTo(merge());
        assertThat(leaseOwner()).isEqualTo(order.round()).startsWith("side job/");
        planner.processElement(new StreamRecord<>(1L));
        end(planner);
        assertThat(values(planner)).as("the round is under way").hasSize(1);
    }

    @Test
    void whoFindsNothingToDoGivesTheLeaseBack() throws Exception {
        StreamTaskMailboxTestHarness<TaskOrder> planner =
                start(
                        oneInput(Types.LONG, MessageTypes.ORDER),
                        new PlanOperator(
                                opener(),
                                new CollectionSelection("default", List.of("docs", "dropped")),
                                MaintenanceOptions.of("side job")));
        planner.processElement(new StreamRecord<>(0L));
        end(planner);
        assertThat(values(planner)).isEmpty();
        assertThat(leaseOwner()).isNull();
    }

    @Test
    void barriersPassWhileATaskRuns() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        collection.faults.onceRun(
                "splits/",
                () -> {
                    blocked.countDown();
                    awaitUninterruptibly(goOn);
                });
        StreamTaskMailboxTestHarness<RoundPart> runner = runner();
        runner.processElement(new StreamRecord<>(order()));
        assertThat(blocked.await(5, TimeUnit.MINUTES)).isTrue();
        Future<Boolean> checkpoint =
                runner.getStreamTask()
                        .triggerCheckpointAsync(
                                new CheckpointMetaData(1, 1),
                                CheckpointOptions.forCheckpointWithDefaultLocation());
        runner.processAll();
        assertThat(checkpoint.get(5, TimeUnit.MINUTES)).isTrue();
        assertThat(values(runner)).isEmpty();
        goOn.countDown();
        assertThat(await(runner, 1).get(0).result().work()).isNotNull();
    }

    @Test
    void theEndWaitsForRunningTasks() throws Exception {
        StreamTaskMailboxTestHarness<RoundPart> runner = runner();
        runner.processElement(new StreamRecord<>(order()));
        runner.processElement(new StreamRecord<>(order()));
        end(runner);
        assertThat(values(runner)).hasSize(2).allMatch(part -> part.result().work() != null);
    }

    @Test
    void whatHappensToATaskIsItsResult() throws Exception {
        collection.faults.once("staged/", Fault.BEFORE);
        StreamTaskMailboxTestHarness<RoundPart> runner = runner();
        runner.processElement(new StreamRecord<>(order()));
        TaskResult failed = await(runner, 1).get(0).result();
        assertThat(failed.work()).isNull();
        assertThat(failed.obsolete()).isFalse();
        assertThat(failed.problem()).isNotEmpty();
        MergeSplits gone = new MergeSplits(List.of(new Ulid(1, 1)));
        runner.processElement(new StreamRecord<>(new TaskOrder("round", COLLECTION, gone)));
        TaskResult obsolete = await(runner, 2).get(1).result();
        assertThat(obsolete.work()).isNull();
        assertThat(obsolete.obsolete()).isTrue();
        runner.processElement(new StreamRecord<>(order()));
        assertThat(await(runner, 3).get(2).result().work()).isNotNull();
    }

    @Test
    void aRoundIsPublishedWhenAllOfItIsThere() throws Exception {
        StreamTaskMailboxTestHarness<RoundPart> runner = runner();
        runner.processElement(new StreamRecord<>(order()));
        RoundPart merged = await(runner, 1).get(0);
        MergeSplits other = new MergeSplits(List.of(new Ulid(1, 1)));
        StreamTaskMailboxTestHarness<MaintenanceReport> publisher = publisher();
        publisher.processElement(new StreamRecord<>(merged), 1, 0); // overtakes its round
        publisher.processElement(new StreamRecord<>(round(2)), 0, 0);
        publisher.processAll();
        assertThat(values(publisher)).isEmpty();
        assertThat(leaseOwner()).isEqualTo("round");
        publisher.processElement(
                new StreamRecord<>(
                        new RoundPart("round", new TaskResult(other, null, "disk full", false))),
                1,
                0);
        MaintenanceReport report = await(publisher, 1).get(0);
        assertThat(report.round().version()).isEqualTo(4);
        assertThat(report.isTroubled()).isTrue();
        assertThat(report.round().tasks())
                .extracting(RoundReport.TaskReport::status)
                .containsExactly(Status.PUBLISHED, Status.FAILED);
        assertThat(report.toString())
                .startsWith("default.docs: version 4; published: merge 3 splits of 3 documents")
                .endsWith("; failed: " + other.describe() + ": disk full");
        assertThat(leaseOwner()).isNull();
        assertThat(collection.open().live().manifest().splits()).hasSize(1);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void aPublisherThatEndsGivesUpItsLeases() throws Exception {
        StreamTaskMailboxTestHarness<MaintenanceReport> publisher = publisher();
        publisher.processElement(new StreamRecord<>(round(1)), 0, 0);
        assertThat(leaseOwner()).isEqualTo("round");
        publisher.close();
        assertThat(leaseOwner()).isNull();
    }

    @Test
    void aStoreThatFailsIsReported() throws Exception {
        StreamTaskMailboxTestHarness<RoundPart> runner = runner();
        runner.processElement(new StreamRecord<>(order()));
        RoundPart merged = await(runner, 1).get(0);
        collection.faults.once("put ns/1/collections/1/manifests/", Fault.BEFORE);
        StreamTaskMailboxTestHarness<MaintenanceReport> publisher = publisher();
        publisher.processElement(new StreamRecord<>(round(1)), 0, 0);
        publisher.processElement(new StreamRecord<>(merged), 1, 0);
        MaintenanceReport report = await(publisher, 1).get(0);
        assertThat(report.round().version()).isZero();
        assertThat(report.problem()).isNotEmpty();
        assertThat(report.round().tasks())
                .extracting(RoundReport.TaskReport::status)
                .containsExactly(Status.FAILED);
        assertThat(leaseOwner()).isNull();
    }
}
