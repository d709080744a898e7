package io.loam.flink.connector;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Two jobs in direct mode on one collection, each with a changelog of its own. */
class DirectRivalStartsITCase extends DirectTestBase {
    /** Long enough for a busy machine to extend it, three times as often as it ends. */
    private StreamJob shortLease() {
        return job().setSink(CollectionSinkOptions.LEASE_TTL, Duration.ofSeconds(10));
    }

    @Test
    void theSecondOfTwoJobsIsToldWhoHoldsTheCollection() throws Exception {
        send(workload.upserts(200));
        JobClient holder = start(shortLease());
        awaitApplied();
        apply(workload.changes(100));
        played(0, written());
        long version = live().version();

        String holders = anotherScript();
        send(workload.changes(150));
        assertThat(awaitFailure(start(shortLease())))
                .contains("the apply lease task/apply/1 is held by apply to default.docs/")
                .contains(live().properties().get("loam.incarnation"))
                .containsPattern(" until \\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z ")
                .contains("stop that job, or take the lease with --take-over");
        assertThat(live().version()).isEqualTo(version);
        assertThat(holder.getJobStatus().get().isTerminalState()).isFalse();
        report(
                "direct",
                "two jobs on one collection",
                "the second is told who holds the lease, and until when");

        JobClient taker = start(shortLease().setSink(CollectionSinkOptions.TAKE_OVER, true));
        awaitApplied();
        played(0, written());
        // The first has not noticed: it has had nothing to publish since.
        Script.append(holders, List.of(workload.upsert("too late")));
        awaitLoss(holder);
        int position = written();
        apply(workload.changes(100));
        played(position, written());
        stopAndCheck(taker, "two jobs on one collection, with --take-over");
    }
}
