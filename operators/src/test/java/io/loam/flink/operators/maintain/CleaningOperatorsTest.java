package io.loam.flink.operators.maintain;

import io.loam.codec.manifest.TaskKeys;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.WarehouseCollector;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestWriter;
import io.loam.store.trim.StreamLog;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTaskMailboxTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** Garbage collection and trimming as Flink tasks: blocked, failing, and beside others. */
class CleaningOperatorsTest extends MaintenanceTaskTestBase {
    private static final Map<String, Map<Integer, Long>> STARTS = new ConcurrentHashMap<>();
    private static final long LEASE_MS = 60_000;
    private static final String GC_LEASE = TaskKeys.lease(TaskKeys.GC);
    private static final String TRIM_LEASE = TaskKeys.lease(TaskKeys.trim(1));

    /** Deletes few objects at a time, so that a pass takes several turns. */
    private static final GcOptions OPTIONS =
            GcOptions.DEFAULT
                    .withRetention(new Retention(1, Duration.ofHours(1).toMillis()))
                    .withMaxDeletes(2);

    private final AtomicLong clockMs = new AtomicLong(1_900_000_000_000L);

    @BeforeEach
    void manyVersions() throws IOException {
        open(clockMs::get);
        TestWriter writer = collection.writer();
        LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
        for (int version = 0; version < 6; version++) {
            for (int key = 0; key < 3; key++) {
                collection.upsert(key, "{\"n\":" + version + "}");
            }
            committer.commit(writer.checkpoint(1), false);
            clockMs.addAndGet(Duration.ofDays(3).toMillis());
        }
    }

    private StreamTaskMailboxTestHarness<CleaningReport> start(
            AbstractStreamOperator<CleaningReport> operator) throws Exception {
        return start(oneInput(Types.LONG, MessageTypes.CLEANING), operator);
    }

    private StreamTaskMailboxTestHarness<CleaningReport> collector() throws Exception {
        return start(new GcOperator(opener(), "side job", OPTIONS));
    }

    private StreamTaskMailboxTestHarness<CleaningReport> trimmer() throws Exception {
        STARTS.put(directory.toString(), new TreeMap<>());
        return start(
                new TrimOperator(
                        opener(),
                        "side job",
                        new CollectionSelection("default", List.of()),
                        logs(
                                directory.toString(),
                                collection.log.from(0, 0).size(),
                                collection.log.from(1, 0).size()),
                        OPTIONS.retention(),
                        0));
    }

    private static StreamLogOpener logs(String id, long end0, long end1) {
        return info -> new MemoryLog(STARTS.get(id), Map.of(0, end0, 1, end1));
    }

    private record MemoryLog(Map<Integer, Long> cuts, Map<Integer, Long> ends)
            implements StreamLog {
        @Override
        public String id() {
            return "";
        }

        @Override
        public Map<Integer, Long> starts() {
            return new HashMap<>(cuts);
        }

        @Override
        public void deleteBefore(Map<Integer, Long> offsets) {
            cuts.putAll(offsets);
        }
    }

    private Metastore metastore() {
        return collection.warehouse().metastore();
    }

    private String owner(String key) throws IOException {
        return metastore().lease(key).map(Lease::owner).orElse(null);
    }

    @Test
    void aPassCollectsUntilNothingIsDue() throws Exception {
        StreamTaskMailboxTestHarness<CleaningReport> task = collector();
        task.processElement(new StreamRecord<>(0L));
        CleaningReport first = await(task, 1).get(0);
        assertThat(first.target()).isEqualTo("default.docs");
        assertThat(first.problem()).isEmpty();
        assertThat(first.removed())
                .as("more than one turn may")
                .isGreaterThan(OPTIONS.maxDeletes());
        assertThat(first.bytes()).isPositive();
        assertThat(first.text())
                .startsWith(
                        first.removed() + " objects of " + first.bytes() + " bytes deleted; kept");
        assertThat(owner(GC_LEASE)).isNull();
        assertThat(
                        new WarehouseCollector(collection.warehouse(), OPTIONS)
                                .plan().roots().stream()
                                        .flatMap(root -> root.result().plan().deletes().stream()))
                .isEmpty();
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void whoeverElseIsAtItIsLeftToIt() throws Exception {
        Lease held = metastore().acquireLease(GC_LEASE, "loam gc", LEASE_MS);
        metastore().acquireLease(TRIM_LEASE, "loam trim", LEASE_MS);
        for (StreamTaskMailboxTestHarness<CleaningReport> task : List.of(collector(), trimmer())) {
            task.processElement(new StreamRecord<>(0L));
            CleaningReport report = await(task, 1).get(0);
            assertThat(report.problem()).isEmpty();
            assertThat(report.removed()).isZero();
            assertThat(report.text()).contains("loam ");
        }
        assertThat(owner(GC_LEASE)).isEqualTo(held.owner());
        assertThat(owner(TRIM_LEASE)).isEqualTo("loam trim");
    }

    @Test
    void whatFailsIsReportedAndTheNextTriggerTriesAgain() throws Exception {
        StreamTaskMailboxTestHarness<CleaningReport> task = collector();
        collection.faults.once("list ns/1/collections/1/", Fault.BEFORE);
        task.processElement(new StreamRecord<>(0L));
        CleaningReport failed = await(task, 1).get(0);
        assertThat(failed.problem()).isNotEmpty();
        assertThat(failed.toString()).startsWith("default.docs: left alone: ");
        assertThat(owner(GC_LEASE)).isNull();
        collection.faults.once("acquireLease " + GC_LEASE, Fault.BEFORE);
        task.processElement(new StreamRecord<>(1L));
        assertThat(await(task, 2).get(1).toString()).startsWith("the warehouse: left alone: ");
        task.processElement(new StreamRecord<>(2L));
        assertThat(await(task, 3).get(2).removed()).isPositive();
    }

    @Test
    void barriersPassWhileGarbageIsCollected() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        collection.faults.onceRun(
                "list ns/1/collections/1/",
                () -> {
                    blocked.countDown();
                    awaitUninterruptibly(goOn);
                });
        StreamTaskMailboxTestHarness<CleaningReport> task = collector();
        task.processElement(new StreamRecord<>(0L));
        assertThat(blocked.await(5, TimeUnit.MINUTES)).isTrue();
        Future<Boolean> checkpoint =
                task.getStreamTask()
                        .triggerCheckpointAsync(
                                new CheckpointMetaData(1, 1),
                                CheckpointOptions.forCheckpointWithDefaultLocation());
        task.processAll();
        assertThat(checkpoint.get(5, TimeUnit.MINUTES)).isTrue();
        task.processElement(new StreamRecord<>(1L));
        goOn.countDown();
        end(task);
        assertThat(values(task)).as("one pass at a time").hasSize(1);
    }

    @Test
    void aPassThatIsCancelledGivesItsLeaseBack() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        collection.faults.onceRun(
                "list ns/1/collections/1/",
                () -> {
                    blocked.countDown();
                    awaitUninterruptibly(new CountDownLatch(1));
                });
        StreamTaskMailboxTestHarness<CleaningReport> task = collector();
        task.processElement(new StreamRecord<>(0L));
        assertThat(blocked.await(5, TimeUnit.MINUTES)).isTrue();
        assertThat(owner(GC_LEASE)).startsWith("side job/");
        task.close();
        assertThat(owner(GC_LEASE)).isNull();
    }

    @Test
    void streamsAreTrimmedBelowWhatTheOldestVersionApplied() throws Exception {
        StreamTaskMailboxTestHarness<CleaningReport> task = trimmer();
        task.processElement(new StreamRecord<>(0L));
        CleaningReport report = await(task, 1).get(0);
        Map<Integer, Long> cuts = STARTS.get(directory.toString());
        assertThat(report.removed())
                .as("one version beside the live one is kept, which has applied all but 3")
                .isEqualTo(6 * 3 - 3)
                .isEqualTo(cuts.values().stream().mapToLong(Long::longValue).sum());
        assertThat(report.toString())
                .isEqualTo("default.docs: 15 offsets before version 5 trimmed");
        assertThat(owner(TRIM_LEASE)).isNull();
        task.processElement(new StreamRecord<>(1L));
        assertThat(await(task, 2).get(1).removed()).isZero();
    }

    @Test
    void streamsThatCannotBeReachedAreReported() throws Exception {
        StreamTaskMailboxTestHarness<CleaningReport> task =
                start(
                        new TrimOperator(
                                opener(),
                                "side job",
                                new CollectionSelection("default", List.of("docs", "dropped")),
                                info -> {
                                    throw new IOException("no broker answers");
                                },
                                OPTIONS.retention(),
                                0));
        task.processElement(new StreamRecord<>(0L));
        assertThat(await(task, 1).get(0).toString())
                .isEqualTo("default.docs: left alone: java.io.IOException: no broker answers");
    }
}
