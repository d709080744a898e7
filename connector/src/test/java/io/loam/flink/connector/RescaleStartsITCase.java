package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Another parallelism without another start: the adaptive scheduler restarts the same job. */
class RescaleStartsITCase extends PipelineTestBase {
    @RegisterExtension final AdaptiveCluster cluster = new AdaptiveCluster(2);

    @Test
    void aRunningJobIsRescaledAsAskedFor() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job().parallelism(1, 1));
        awaitApplied();
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            for (int change = 0; change < Campaign.size(2, 4); change++) {
                int parallelism = change % 2 == 0 ? 2 : 1;
                cluster.rescale(job, parallelism);
                cluster.awaitParallelism(job, parallelism);
                awaitCommits(2);
            }
        }
        awaitApplied();
        stopAndCheck(job, "rescaled while running, parallelism 1 to 2 to 1");
    }

    @Test
    void aRunningJobShrinksAndGrowsWithItsTaskManagers() throws Exception {
        send(workload.upserts(200));
        JobClient job = start(job().parallelism(2, 2));
        cluster.awaitParallelism(job, 2);
        awaitApplied();
        try (Traffic traffic = new Traffic(() -> send(workload.changes(5)))) {
            cluster.takeTaskManagerAway(0);
            cluster.awaitParallelism(job, 1);
            awaitCommits(2);
            cluster.addTaskManager();
            cluster.awaitParallelism(job, 2);
            awaitCommits(2);
        }
        awaitApplied();
        stopAndCheck(job, "task manager lost, then another added, parallelism 2 to 1 to 2");
    }
}
