package io.loam.flink.connector;

import io.loam.codec.testing.Campaign;

import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same for changes without offsets: each counts once. */
class DirectRescaleStartsITCase extends DirectTestBase {
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
        played(0, written());
        stopAndCheck(job, "rescaled while running, parallelism 1 to 2 to 1");
    }
}
