package io.loam.flink.connector;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Jobs that know nothing of each other, on one collection and its topic. */
class RivalStartsITCase extends PipelineTestBase {
    /** Long enough for a busy machine to extend it, three times as often as it ends. */
    private StreamJob shortLease() {
        return job().setSink(CollectionSinkOptions.LEASE_TTL, Duration.ofSeconds(10));
    }

    @Test
    void theSecondOfTwoJobsIsToldWhoHoldsTheCollection() throws Exception {
        send(workload.upserts(200));
        StreamJob early = direct().buildSink(); // nothing tells yet that it may not write here
        JobClient holder = start(shortLease());
        JobClient taker;
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            awaitCommits(2);
            assertToldWhoHoldsIt(awaitFailure(start(shortLease())), holder);
            report(
                    "stream",
                    "two jobs on one collection, both without state",
                    "the second is told who holds the lease, and until when");
            aDirectWriterIsTurnedAway(early);
            awaitCommits(2); // by the holder, whom all this did not disturb
            taker = start(shortLease().setSink(CollectionSinkOptions.TAKE_OVER, true));
            awaitLoss(holder);
            awaitCommits(2);
        }
        awaitApplied();
        stopAndCheck(taker, "two jobs on one collection, both without state, with --take-over");
    }

    /** Its lease names the holder by its writer id and the incarnation in the manifests. */
    private void assertToldWhoHoldsIt(String told, JobClient holder) throws Exception {
        assertThat(told)
                .contains("the apply lease task/apply/1 is held by apply to default.docs/")
                .contains(live().properties().get("loam.incarnation"))
                .containsPattern(" until \\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z ")
                .contains("stop that job, or take the lease with --take-over");
        assertThat(holder.getJobStatus().get().isTerminalState()).isFalse();
    }

    private StreamJob direct() {
        String script = UUID.randomUUID().toString();
        Script.append(script, workload.upserts(10).toList());
        return new DirectJob(warehouse, directory, script)
                .setSink(CollectionSinkOptions.TAKE_OVER, true);
    }

    /** Whether its graph is built now, or was before the first commit; even if it takes over. */
    private void aDirectWriterIsTurnedAway(StreamJob early) throws Exception {
        assertThatThrownBy(() -> direct().start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("default.docs was first written in STREAM mode");
        JobClient job = start(early);
        assertThat(awaitFailure(job))
                .contains("takes no writer in DIRECT mode; set loam.sink.mode=STREAM");
        assertThat(metric(job, "numRestarts")).isZero();
        report("stream", "a job in direct mode on the same collection", "refused for its mode");
    }
}
