package io.loam.flink.connector;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Bounded logs applied in batch execution, by themselves and between streaming jobs. */
class BatchStartsITCase extends PipelineTestBase {
    private StreamJob bounded(RuntimeExecutionMode mode) {
        return job().bounded().set(ExecutionOptions.RUNTIME_MODE, mode);
    }

    @Test
    void aBoundedLogIsOneCommit() throws Exception {
        send(workload.upserts(300));
        send(workload.changes(1000));
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        assertThat(live().version()).isEqualTo(1);
        assertThat(live().applied()).isEqualTo(ends());
        report("stream", "bounded input to the end, BATCH", same(verify()));

        send(workload.changes(500));
        awaitEnd(start(bounded(RuntimeExecutionMode.AUTOMATIC)));
        assertThat(live().version()).isEqualTo(2);
        report("stream", "bounded input to the end, AUTOMATIC", same(verify()));

        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        assertThat(live().version()).isEqualTo(2);
        report("stream", "bounded input without news, BATCH", "no new version");

        JobClient streaming = start(job());
        apply(workload.changes(100));
        String stopped = stopAndCheck(streaming, "no state, after BATCH");
        send(workload.changes(300));
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        JobClient restored = start(job().from(stopped));
        apply(workload.changes(100));
        stopAndCheck(restored, "savepoint, a BATCH job had gone on");
    }

    @Test
    void aFailureInBatchLosesAndDoublesNothing() throws Exception {
        send(workload.upserts(300));
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        send(workload.changes(600));
        FailOnce.armAfter(150);
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        assertThat(FailOnce.failures()).isEqualTo(1);
        report("stream", "a task fails, BATCH", same(verify()));
    }
}
