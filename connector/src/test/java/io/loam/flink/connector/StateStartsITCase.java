package io.loam.flink.connector;

import org.apache.flink.core.execution.JobClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Starts from a job's own state, or from none, on a collection only that job writes. */
class StateStartsITCase extends PipelineTestBase {
    @Test
    void startsFromTheNewestCheckpoint() throws Exception {
        send(workload.upserts(300));
        JobClient job = start(job());
        awaitApplied();
        send(workload.changes(150)); // may be in no checkpoint at all
        cancel(job);
        String first = newestCheckpoint();
        job = start(job().from(first));
        send(workload.changes(150));
        Awaitility.await().atMost(PATIENCE).until(() -> !newestCheckpoint().equals(first));
        cancel(job); // a checkpoint has them, which may not be committed yet
        job = start(job().from(newestCheckpoint()));
        apply(workload.changes(150));
        cancel(job); // all is committed
        job = start(job().from(newestCheckpoint()));
        apply(workload.changes(100));
        stopAndCheck(job, "newest checkpoint, three times in a row");
    }

    @Test
    void startsFromASavepointFiveCommitsOld() throws Exception {
        send(workload.upserts(300));
        JobClient first = start(job());
        awaitApplied();
        String old = savepoint(first);
        long version = live().version();
        for (int commit = 0; commit < 5; commit++) {
            apply(workload.changes(60));
        }
        assertThat(live().version()).isGreaterThanOrEqualTo(version + 5);
        cancel(first);
        JobClient restored = start(job().from(old));
        apply(workload.changes(100));
        assertThat(rebuildMs(restored)).isZero(); // the missed key deltas are replayed
        stopAndCheck(restored, "savepoint five commits old");
    }

    @Test
    void startsWithoutState() throws Exception {
        send(workload.upserts(300));
        JobClient first = start(job());
        awaitApplied();
        apply(workload.changes(200));
        send(workload.changes(100)); // may be staged, may be committed
        cancel(first);
        JobClient rebuilt = start(job());
        apply(workload.changes(200));
        assertThat(rebuildMs(rebuilt)).isPositive();
        stopAndCheck(rebuilt, "no state");
    }

    @Test
    void startsWithAnotherParallelism() throws Exception {
        send(workload.upserts(300));
        JobClient job = start(job().parallelism(1, 1));
        awaitApplied();
        send(workload.changes(150));
        String one = stop(job, false);
        job = start(job().parallelism(4, 4).from(one));
        apply(workload.changes(50));
        send(workload.changes(150));
        String four = stop(job, false);
        job = start(job().parallelism(2, 2).from(four));
        apply(workload.changes(150));
        stopAndCheck(job, "parallelism 1 to 4 to 2");
    }

    @Test
    void startsAfterStopWithSavepoint() throws Exception {
        send(workload.upserts(300));
        JobClient job = start(job());
        awaitApplied();
        send(workload.changes(150));
        String stopped = stop(job, false);
        job = start(job().from(stopped));
        apply(workload.changes(100));
        String again = stopAndCheck(job, "stop-with-savepoint");
        job = start(job().from(again));
        apply(workload.changes(50));
        send(workload.changes(150));
        String drained = stop(job, true);
        job = start(job().from(drained));
        apply(workload.changes(100));
        stopAndCheck(job, "stop-with-savepoint --drain");
    }

    @Test
    void aBoundedJobEndsAndGoesOnWhereItEnded() throws Exception {
        send(workload.upserts(100));
        awaitEnd(start(job().bounded()));
        assertThat(live().applied()).isEqualTo(ends());
        send(workload.changes(100));
        awaitEnd(start(job().bounded()));
        assertThat(live().applied()).isEqualTo(ends());
        long version = live().version();
        report("stream", "bounded input to the end, twice", same(verify()));
        awaitEnd(start(job().bounded()));
        assertThat(live().version()).isEqualTo(version);
        report("stream", "bounded input without news", "no new version");
    }
}
