package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;
import io.loam.store.chain.ManifestChain;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts in direct mode. From where a job left off, every change counts once; from anywhere else
 * the source repeats changes, and the collection is what all of them come to, one after the other.
 */
class DirectStartsITCase extends DirectTestBase {
    @Test
    void startsFromTheNewestCheckpoint() throws Exception {
        send(workload.upserts(300));
        JobClient job = start(job());
        awaitApplied();
        int kills = Campaign.size(3, 12);
        for (int kill = 0; kill < kills; kill++) {
            send(workload.changes(150));
            Thread.sleep(100L * (kill % 3) + 50); // before, while and after they are committed
            cancel(job);
            job = start(job().from(newestCheckpoint()));
        }
        apply(workload.changes(100));
        played(0, written());
        stopAndCheck(job, "newest checkpoint, " + kills + " times in a row");
    }

    @Test
    void startsFromASavepointFiveCommitsOld() throws Exception {
        send(workload.upserts(300));
        JobClient first = start(job());
        awaitApplied();
        String old = savepoint(first);
        int position = written();
        long version = live().version();
        for (int commit = 0; commit < 5; commit++) {
            apply(workload.changes(60));
        }
        assertThat(live().version()).isGreaterThanOrEqualTo(version + 5);
        cancel(first);
        played(0, written());
        JobClient restored = start(job().from(old));
        apply(workload.changes(100));
        played(position, written());
        stopAndCheck(restored, "savepoint five commits old, what came since is played again");
    }

    @Test
    void startsWithoutState() throws Exception {
        send(workload.upserts(200));
        JobClient first = start(job());
        awaitApplied();
        apply(workload.changes(200));
        cancel(first);
        played(0, written());
        JobClient rebuilt = start(job());
        apply(workload.changes(200));
        played(0, written());
        stopAndCheck(rebuilt, "no state, everything is played again");
    }

    @Test
    void startsWithAnotherParallelismAndStateBackend() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job().parallelism(1, 1));
        awaitApplied();
        send(workload.changes(150));
        job = start(job().parallelism(1, 4).from(stop(job, false)));
        awaitApplied();
        send(workload.changes(150));
        String four = stop(job, false);
        job =
                start(
                        job().parallelism(1, 2)
                                .set(StateBackendOptions.STATE_BACKEND, "rocksdb")
                                .from(four));
        apply(workload.changes(150));
        String onDisk = stop(job, false);
        job = start(job().from(onDisk));
        apply(workload.changes(50));
        played(0, written());
        stopAndCheck(job, "stop-with-savepoint, parallelism 1 to 4 to 2, rocksdb and back");
    }

    @Test
    void startsFromANativeSavepointOfItsStateBackend() throws Exception {
        send(workload.upserts(200));
        for (String backend : List.of("hashmap", "rocksdb")) {
            JobClient job = start(job().set(StateBackendOptions.STATE_BACKEND, backend));
            apply(workload.changes(50));
            played(0, written()); // without state
            String savepoint = savepoint(job, SavepointFormatType.NATIVE);
            int position = written();
            apply(workload.changes(100));
            cancel(job);
            played(position, written());
            job = start(job().set(StateBackendOptions.STATE_BACKEND, backend).from(savepoint));
            apply(workload.changes(50));
            assertThat(rebuildMs(job)).isZero(); // the missed key deltas are replayed
            played(position, written());
            stopAndCheck(job, "native savepoint, " + backend + ", what came since is played again");
            if (backend.equals("hashmap")) {
                refusesANativeSavepointOfAnotherStateBackend(savepoint);
            }
        }
    }

    private void refusesANativeSavepointOfAnotherStateBackend(String onHeap) throws Exception {
        long version = live().version();
        StreamJob onDisk = job().set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        assertThat(awaitFailure(start(onDisk.from(onHeap))))
                .contains("Could not restore keyed state backend for StageOperator");
        assertThat(live().version()).isEqualTo(version);
        report(
                "direct",
                "state backend hashmap to rocksdb, native savepoint",
                "fails while Flink restores state, nothing is published");
    }

    @Test
    void refusesAnotherMaximumParallelism() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job().set(PipelineOptions.MAX_PARALLELISM, 64));
        awaitApplied();
        String savepoint = savepoint(job);
        int position = written();
        apply(workload.changes(100));
        cancel(job);
        played(0, written());
        long version = live().version();
        StreamJob other = job().set(PipelineOptions.MAX_PARALLELISM, 32);
        assertThat(awaitFailure(start(other.from(savepoint))))
                .contains("with max parallelism 64 to new program with max parallelism 32");
        assertThat(live().version()).isEqualTo(version);
        report(
                "direct",
                "savepoint, maximum parallelism changed from 64 to 32",
                "refused by Flink with both numbers");
        job = start(job().from(savepoint)); // not set: taken from the savepoint
        apply(workload.changes(100));
        played(position, written());
        stopAndCheck(job, "maximum parallelism 64, then unset");
        job = start(job().set(PipelineOptions.MAX_PARALLELISM, 32));
        apply(workload.changes(100));
        played(0, written());
        stopAndCheck(job, "no state, maximum parallelism 32");
    }

    @Test
    void startsAfterAStopThatDrained() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        send(workload.changes(150)); // how many of them are drained is not known
        String drained = stop(job, true);
        job = start(job().from(drained));
        apply(workload.changes(100));
        played(0, written());
        stopAndCheck(job, "stop-with-savepoint --drain");
    }

    /** A job whose savepoints hold commits that are not published, as nothing else completes. */
    private StreamJob rareCheckpoints() {
        Duration never = Duration.ofHours(1);
        return job().set(CheckpointingOptions.CHECKPOINTING_INTERVAL, never)
                .set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, never);
    }

    private String savepointOfAllPlayed(JobClient job) {
        awaitPlayed();
        return Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(ExecutionException.class) // a task is not running yet
                .until(() -> savepoint(job), Objects::nonNull);
    }

    @Test
    void whatASavepointHoldsIsPublishedOnceHoweverOftenItIsRestored() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(rareCheckpoints());
        String pending = savepointOfAllPlayed(job);
        assertThat(live().version()).isZero();
        int position = written();
        cancel(job);

        JobClient once = start(job().from(pending));
        awaitApplied(); // without a change more: the savepoint held it
        apply(workload.changes(100));
        apply(workload.changes(100));
        cancel(once);
        played(0, written());

        // Its commit is on the chain by now, its checkpoint id was used by another job since.
        JobClient twice = start(job().from(pending));
        apply(workload.changes(100));
        played(position, written());
        stopAndCheck(twice, "one savepoint with an unpublished commit, restored twice");
    }

    @Test
    void anUnpublishedCommitIsRefusedWhenAnotherJobWentOn() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(rareCheckpoints());
        String pending = savepointOfAllPlayed(job);
        cancel(job);
        JobClient other = start(job());
        awaitApplied();
        played(0, written());
        cancel(other);
        long version = live().version();

        String failure = awaitFailure(start(job().from(pending)));
        assertThat(failure)
                .contains("cannot be published: its row ids stand on no commit")
                .contains("Not published: changes of a changelog without offsets")
                .contains("it goes on with what its source still delivers");
        assertThat(live().version()).isEqualTo(version);
        report("direct", "savepoint with an unpublished commit, another job went on", "refused");

        JobClient rebuilt = start(job());
        apply(workload.changes(50));
        played(0, written());
        stopAndCheck(rebuilt, "no state, after that");
    }

    @Test
    void startsOnACollectionThatChangedMeanwhile() throws Exception {
        Maintenance maintenance = new Maintenance(handle(), directory);
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String old = savepoint(job);
        int position = written();
        apply(workload.changes(100));
        maintenance.merge(); // under a running job
        apply(workload.changes(100));
        String stopped = stop(job, false);
        played(0, written());
        maintenance.merge();
        int end = written();
        job = start(job().from(stopped));
        apply(workload.changes(100));
        played(end, written());
        stopAndCheck(job, "stopped job, maintained since");

        Map<String, byte[]> deltas = collectKeyDeltas();
        assertThat(deltas.size()).isGreaterThanOrEqualTo(3);
        job = start(job().from(old));
        apply(workload.changes(50));
        played(position, written());
        for (Map.Entry<String, byte[]> delta : deltas.entrySet()) {
            handle().objects().put(delta.getKey(), delta.getValue()); // for the verifier
        }
        stopAndCheck(job, "old savepoint, maintained, key deltas collected");
    }

    private Map<String, byte[]> collectKeyDeltas() throws IOException {
        Map<String, byte[]> deltas = new HashMap<>();
        for (ManifestChain.Link link : ManifestChain.of(handle()).retained()) {
            String path = link.manifest().pkDelta();
            if (!path.isEmpty()) {
                deltas.put(path, handle().objects().get(path));
                handle().objects().delete(path);
            }
        }
        return deltas;
    }

    @Test
    void aBoundedScriptIsPlayedToItsEnd() throws Exception {
        send(workload.upserts(100));
        send(workload.changes(200));
        awaitEnd(start(job().bounded()));
        played(0, written());
        report("direct", "bounded input to the end, STREAMING", same(verify()));
        send(workload.changes(50));
        awaitEnd(start(job().bounded().withoutCheckpoints()));
        played(0, written());
        report("direct", "bounded input to the end, STREAMING, no checkpoints", same(verify()));
    }
}
