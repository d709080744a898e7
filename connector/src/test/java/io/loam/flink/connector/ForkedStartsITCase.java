package io.loam.flink.connector;

import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.ManifestChain;

import org.apache.flink.core.execution.JobClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts from state that is not where the collection is, because another job went on from it. */
class ForkedStartsITCase extends PipelineTestBase {
    @Test
    void anOldSavepointIsRestoredAfterTheFirstJobWentOn() throws Exception {
        send(workload.upserts(200));
        JobClient first = start(job());
        awaitApplied();
        String old = savepoint(first);
        // Every checkpoint has changes, so that both publish under the ids that follow.
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            awaitCommits(5);
        }
        cancel(first);
        JobClient forked = start(job().from(old));
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            awaitCommits(5);
            Awaitility.await().atMost(PATIENCE).until(() -> !repeatedCheckpoints().isEmpty());
        }
        awaitApplied();
        stopAndCheck(forked, "old savepoint, the first job had gone on");
    }

    /** Checkpoint ids under which more than one incarnation published. */
    private Set<String> repeatedCheckpoints() throws IOException {
        Map<String, String> incarnations = new HashMap<>();
        Set<String> repeated = new HashSet<>();
        for (ManifestChain.Link link : ManifestChain.of(handle()).retained()) {
            Map<String, String> properties = link.manifest().properties();
            String checkpoint = properties.get(ManifestProperties.CHECKPOINT);
            String incarnation = properties.get(ManifestProperties.INCARNATION);
            String other = incarnations.putIfAbsent(checkpoint, incarnation);
            if (other != null
                    && !other.equals(incarnation)
                    && link.manifest().kind() == CommitKind.LINK_APPLY) {
                repeated.add(checkpoint);
            }
        }
        return repeated;
    }

    @Test
    void oneSavepointIsRestoredTwice() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        send(workload.changes(80));
        String savepoint = stop(job, false);
        JobClient once = start(job().from(savepoint));
        apply(workload.changes(150));
        cancel(once);
        JobClient twice = start(job().from(savepoint));
        apply(workload.changes(150));
        stopAndCheck(twice, "one savepoint restored twice, one after the other");
    }

    @Test
    void oneSavepointIsRestoredTwiceAtOnce() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String savepoint = stop(job, false);
        JobClient holder = start(shortLease().from(savepoint));
        JobClient taker;
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            awaitCommits(2);
            String told = awaitFailure(start(shortLease().from(savepoint)));
            assertThat(told)
                    .contains("the apply lease task/apply/1 is held by apply to default.docs/")
                    .contains(" until ")
                    .contains("--take-over");
            report(
                    "stream",
                    "one savepoint restored twice, at once",
                    "the second is told who holds the lease, and until when");

            taker =
                    start(
                            shortLease()
                                    .setSink(CollectionSinkOptions.TAKE_OVER, true)
                                    .from(savepoint));
            awaitLoss(holder);
        }
        awaitApplied();
        stopAndCheck(taker, "one savepoint restored twice, at once, with --take-over");
    }

    /** Long enough for a busy machine to extend it, three times as often as it ends. */
    private StreamJob shortLease() {
        return job().setSink(CollectionSinkOptions.LEASE_TTL, Duration.ofSeconds(10));
    }

    @Test
    void stateAheadOfTheManifestIsRefused() throws Exception {
        refuseStateAheadBy(1);
    }

    /** Here the second commit makes the state forget the one that the copy stands on. */
    @Test
    void stateTwoCommitsAheadOfTheManifestIsRefused() throws Exception {
        refuseStateAheadBy(2);
    }

    private void refuseStateAheadBy(int commits) throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String behind = stop(job, false);
        WarehouseOptions copy = copyWarehouse();
        job = start(job().from(behind));
        for (int commit = 0; commit < commits; commit++) {
            apply(workload.changes(100));
        }
        awaitCheckpoints(2); // nothing is pending any more
        String idle = savepoint(job);
        send(workload.changes(100));
        String pending = stop(job, false);

        use(copy);
        Map<Integer, Long> applied = live().applied();
        refused(pending, commits);
        refused(idle, commits);
        assertThat(live().applied()).isEqualTo(applied);
        JobClient rebuilt = start(job());
        awaitApplied();
        stopAndCheck(rebuilt, "no state, after " + ahead(commits) + " was refused");
    }

    /** By the committer if the state has something to publish, else by the aggregate. */
    private void refused(String savepoint, int commits) throws Exception {
        JobClient job = start(job().from(savepoint));
        assertThat(awaitFailure(job))
                .contains("its row ids stand on commit ")
                .containsPattern("Not published: offsets p\\d \\d+\\.\\.\\d+")
                .contains("Start the job without state (flink run without --fromSavepoint");
        assertThat(metric(job, "numRestarts")).isZero();
        report("stream", ahead(commits), "refused, with partitions and offsets");
    }

    private static String ahead(int commits) {
        return "state ahead of the manifest (commits: " + commits + ")";
    }

    private WarehouseOptions copyWarehouse() throws IOException {
        Path from = directory.resolve("warehouse");
        Path to = directory.resolve("copy");
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)));
            }
        }
        return WarehouseOptions.local(to);
    }
}
