package io.loam.flink.connector;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.record.Operation;
import io.loam.flink.connector.testing.KeyIndexes;
import io.loam.flink.connector.testing.RetainedCheckpoints;
import io.loam.flink.connector.testing.SampleSchema;
import io.loam.flink.connector.testing.Savepoints;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A warehouse, a collection and its topic for each test, on the cluster and broker that all tests
 * share; what they hold can be read and verified at any time.
 */
@ExtendWith(SharedCluster.class)
abstract class PipelineTestBase {
    static final int PARTITIONS = 4;
    static final Duration PATIENCE = Duration.ofMinutes(10);

    @TempDir Path directory;
    final Workload workload = new Workload();
    WarehouseOptions warehouse;
    CollectionInfo collection;

    private final List<JobClient> jobs = new ArrayList<>();
    private StartsReport report;
    private Warehouse opened;
    private CollectionHandle handle;

    @RegisterExtension
    final BeforeEachCallback reporting = context -> report = StartsReport.of(context);

    @BeforeEach
    void createCollection(TestInfo test) throws Exception {
        warehouse = newWarehouse();
        opened = Warehouse.openOrCreate(warehouse);
        collection =
                opened.metastore()
                        .createCollection(
                                "default",
                                "docs",
                                SampleSchema.get(),
                                PARTITIONS,
                                test.getTestClass().orElseThrow().getSimpleName()
                                        + "-"
                                        + test.getTestMethod().orElseThrow().getName());
        handle = opened.open(collection.id());
        broker().createTopic(collection.topic(), PARTITIONS);
    }

    /** Where the test's warehouse will be. */
    WarehouseOptions newWarehouse() throws IOException {
        return WarehouseOptions.local(directory.resolve("warehouse"));
    }

    @AfterEach
    void stopEverything() throws Exception {
        try (Warehouse closing = opened;
                CollectionHandle closingHandle = handle) {
            FailOnce.disarm();
            for (JobClient job : jobs) {
                if (!job.getJobStatus().get().isGloballyTerminalState()) {
                    cancel(job);
                }
            }
        }
    }

    /** Goes on with another warehouse that holds the same collection. */
    void use(WarehouseOptions other) throws IOException {
        try (Warehouse closing = opened) {
            handle.close();
        }
        warehouse = other;
        opened = Warehouse.open(other);
        handle = opened.open(collection.id());
    }

    static EmbeddedBroker broker() {
        return SharedCluster.broker();
    }

    CollectionHandle handle() {
        return handle;
    }

    /** A start without state. */
    StreamJob job() {
        return new StreamJob(warehouse, directory);
    }

    /** Starts a job that is cancelled after the test at the latest. */
    JobClient start(StreamJob job) throws Exception {
        JobClient client = job.start();
        jobs.add(client);
        return client;
    }

    void send(Stream<Operation> operations) throws Exception {
        broker().send(collection.topic(), PARTITIONS, operations.toList());
    }

    /** Where the log ends, but for empty partitions; so the manifest has it when all is applied. */
    Map<Integer, Long> ends() throws Exception {
        Map<Integer, Long> ends = new TreeMap<>(broker().ends(collection.topic(), PARTITIONS));
        ends.values().removeIf(end -> end == 0);
        return ends;
    }

    void awaitApplied() throws Exception {
        Map<Integer, Long> ends = ends();
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(live().applied()).isEqualTo(ends));
    }

    /** Sends operations and waits until they are applied. */
    void apply(Stream<Operation> operations) throws Exception {
        send(operations);
        awaitApplied();
    }

    /** Waits until some more versions are published. */
    void awaitCommits(int commits) throws Exception {
        long version = live().version();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () ->
                                assertThat(live().version())
                                        .isGreaterThanOrEqualTo(version + commits));
    }

    CollectionManifest live() throws IOException {
        return handle.live().manifest();
    }

    static void cancel(JobClient job) throws Exception {
        job.cancel().get();
        await(job, JobStatus.CANCELED);
    }

    static void await(JobClient job, JobStatus status) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> job.getJobStatus().get() == status);
    }

    /**
     * Waits until a job has failed for good; returns the messages of the failure and its causes.
     */
    static String awaitFailure(JobClient job) {
        await(job, JobStatus.FAILED);
        StringBuilder messages = new StringBuilder();
        try {
            job.getJobExecutionResult().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                messages.append(cause).append('\n');
            }
        }
        return messages.toString();
    }

    /**
     * Waits until a job has failed because another took its lease: it was fenced, or it saw the
     * other's commit and was told on its restart who holds the lease now.
     */
    static void awaitLoss(JobClient job) {
        assertThat(awaitFailure(job))
                .containsAnyOf(
                        "another committer took the lease",
                        "the apply lease task/apply/1 is held by apply to default.docs/");
    }

    static void awaitEnd(JobClient job) throws Exception {
        job.getJobExecutionResult().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Path of the newest completed checkpoint on disk. */
    String newestCheckpoint() throws IOException {
        return RetainedCheckpoints.newest(directory.resolve("checkpoints"))
                .orElseThrow()
                .toUri()
                .toString();
    }

    void awaitCheckpoints(int more) throws IOException {
        for (int i = 0; i < more; i++) {
            String newest = newestCheckpoint();
            Awaitility.await().atMost(PATIENCE).until(() -> !newestCheckpoint().equals(newest));
        }
    }

    String savepoint(JobClient job) throws Exception {
        return savepoint(job, SavepointFormatType.CANONICAL);
    }

    String savepoint(JobClient job, SavepointFormatType format) throws Exception {
        return job.triggerSavepoint(savepoints(), format)
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Stops a job with a savepoint; draining ends its sources as if their input had ended. */
    String stop(JobClient job, boolean drain) throws Exception {
        String savepoint = Savepoints.stop(job, drain, directory.resolve("savepoints"));
        await(job, JobStatus.FINISHED);
        return savepoint;
    }

    private String savepoints() {
        return directory.resolve("savepoints").toUri().toString();
    }

    VerifyReport verify() throws Exception {
        try (var log = broker().log(collection.topic())) {
            VerifyReport verified = Verifier.againstLog(handle, log);
            assertThat(verified.violations()).isEmpty();
            assertThat(verified.skipped()).isEmpty();
            return verified;
        }
    }

    /** Row of every key of the live version. */
    Map<PrimaryKey, Long> liveIndex() throws IOException {
        return KeyIndexes.live(handle);
    }

    /**
     * Stops a job with a savepoint, verifies the collection against its log, compares the index in
     * the savepoint with the rows, and takes the start down in the report.
     *
     * @return the savepoint
     */
    String stopAndCheck(JobClient job, String start) throws Exception {
        String savepoint = stop(job, false);
        VerifyReport verified = verify();
        assertThat(KeyIndexes.staged(savepoint, collection.id())).isEqualTo(liveIndex());
        report("stream", start, same(verified));
        return savepoint;
    }

    /** In words: no violation. */
    String same(VerifyReport verified) throws IOException {
        return "same collection: "
                + verified.keys()
                + " keys in version "
                + live().version()
                + ", no violation";
    }

    /** Sum of a metric over all subtasks and attempts of a job. */
    static long metric(JobClient job, String name) {
        return JobMetrics.sum(job.getJobID(), name);
    }

    /** How long the key index of a job took to be rebuilt; 0 if it was not. */
    static long rebuildMs(JobClient job) {
        return metric(job, "rebuildMs");
    }

    void report(String mode, String start, String result) {
        report.add(mode, start, result, getClass());
    }
}
