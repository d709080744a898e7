package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Bounded changelogs in batch execution: the order of each key's changes survives the sort. */
class DirectBatchStartsITCase extends DirectTestBase {
    private StreamJob bounded(RuntimeExecutionMode mode) {
        return job().bounded().set(ExecutionOptions.RUNTIME_MODE, mode);
    }

    @Test
    void aBoundedScriptIsOneCommit() throws Exception {
        send(workload.upserts(300));
        send(workload.changes(Campaign.size(2_000, 50_000)));
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        assertThat(live().version()).isEqualTo(1);
        played(0, written());
        report("direct", "bounded input to the end, BATCH", same(verify()));

        // A script knows no offsets: its source plays it from the beginning again.
        send(workload.changes(500));
        awaitEnd(start(bounded(RuntimeExecutionMode.AUTOMATIC)));
        assertThat(live().version()).isEqualTo(2);
        played(0, written());
        report("direct", "bounded input to the end, AUTOMATIC", same(verify()));

        JobClient streaming = start(job());
        apply(workload.changes(100));
        played(0, written());
        stopAndCheck(streaming, "no state, after BATCH");
    }

    @Test
    void aFailureInBatchLosesAndDoublesNothing() throws Exception {
        send(workload.upserts(300));
        send(workload.changes(600));
        FailOnce.armAfter(700);
        awaitEnd(start(bounded(RuntimeExecutionMode.BATCH)));
        assertThat(FailOnce.failures()).isEqualTo(1);
        played(0, written());
        report("direct", "a task fails, BATCH", same(verify()));
    }
}
