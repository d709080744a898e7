package io.loam.jobs.cluster;

import io.loam.jobs.cluster.FlinkCluster.Job;
import io.loam.jobs.cluster.FlinkCluster.Overview;

import javax.annotation.Nullable;

import java.util.List;

/**
 * How a cluster is.
 *
 * @param processes every process there is or ought to be; empty if none was started
 * @param overview null if the job manager does not answer
 * @param gatewayAnswers whether the SQL gateway does
 */
public record ClusterStatus(
        List<ProcessStatus> processes,
        String restUrl,
        String gatewayUrl,
        int expectedTaskManagers,
        @Nullable Overview overview,
        List<Job> jobs,
        boolean gatewayAnswers) {

    /**
     * One process.
     *
     * @param pid 0 if it was never started
     */
    public record ProcessStatus(String name, long pid, boolean alive, String log) {}

    /** The status where nothing was started. */
    static final ClusterStatus NOTHING =
            new ClusterStatus(List.of(), "", "", 0, null, List.of(), false);

    public boolean nothing() {
        return processes.isEmpty();
    }

    /** Whether everything that ought to run does, and answers. */
    public boolean complete() {
        return !nothing()
                && processes.stream().allMatch(ProcessStatus::alive)
                && overview != null
                && overview.taskManagers() >= expectedTaskManagers
                && gatewayAnswers;
    }
}
