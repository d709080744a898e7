package io.loam.flink.connector;

import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts from state whose shape does not fit the job as it is now. */
class StateFormatStartsITCase extends PipelineTestBase {
    private StreamJob rocksdb() {
        return job().set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    }

    @Test
    void changesTheStateBackendByACanonicalSavepoint() throws Exception {
        send(workload.upserts(300));
        JobClient job = start(job());
        awaitApplied();
        send(workload.changes(150));
        String onHeap = stop(job, false);
        job = start(rocksdb().from(onHeap));
        apply(workload.changes(150));
        String onDisk = stopAndCheck(job, "state backend hashmap to rocksdb, canonical savepoint");
        job = start(job().from(onDisk));
        apply(workload.changes(100));
        stopAndCheck(job, "state backend rocksdb to hashmap, canonical savepoint");
    }

    @Test
    void refusesANativeSavepointOfAnotherStateBackend() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job());
        awaitApplied();
        String onHeap = savepoint(job, SavepointFormatType.NATIVE);
        apply(workload.changes(100));
        cancel(job);
        long version = live().version();
        String failure = awaitFailure(start(rocksdb().from(onHeap)));
        assertThat(failure).contains("Could not restore keyed state backend for StageOperator");
        assertThat(live().version()).isEqualTo(version);
        report(
                "stream",
                "state backend hashmap to rocksdb, native savepoint",
                "fails while Flink restores state, nothing is published");
        job = start(rocksdb());
        apply(workload.changes(100));
        stopAndCheck(job, "no state, state backend rocksdb");
    }

    @Test
    void refusesAnotherMaximumParallelism() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job().set(PipelineOptions.MAX_PARALLELISM, 64));
        awaitApplied();
        String savepoint = savepoint(job);
        apply(workload.changes(100));
        cancel(job);
        long version = live().version();
        String failure =
                awaitFailure(start(job().set(PipelineOptions.MAX_PARALLELISM, 32).from(savepoint)));
        assertThat(failure)
                .contains("Max parallelism mismatch between checkpoint/savepoint state and new")
                .contains("with max parallelism 64 to new program with max parallelism 32");
        assertThat(live().version()).isEqualTo(version);
        report(
                "stream",
                "savepoint, maximum parallelism changed from 64 to 32",
                "refused by Flink with both numbers");
        job = start(job().from(savepoint)); // not set: taken from the savepoint
        apply(workload.changes(100));
        stopAndCheck(job, "maximum parallelism 64, then unset");
        job = start(job().set(PipelineOptions.MAX_PARALLELISM, 32));
        apply(workload.changes(100));
        stopAndCheck(job, "no state, maximum parallelism 32");
    }
}
