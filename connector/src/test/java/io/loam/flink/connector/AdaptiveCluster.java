package io.loam.flink.connector;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.JobManagerOptions.SchedulerType;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.util.MiniClusterWithClientResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A cluster for each test whose scheduler fits a running job to what it is told and to the slots
 * there are. The test's jobs run on it.
 */
final class AdaptiveCluster implements BeforeEachCallback, AfterEachCallback {
    private final MiniClusterWithClientResource resource;

    /** As many task managers as slots. */
    AdaptiveCluster(int taskManagers) {
        Configuration config = new Configuration();
        config.set(JobManagerOptions.SCHEDULER, SchedulerType.Adaptive);
        config.set(JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING, Duration.ZERO);
        config.set(
                JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT,
                Duration.ZERO);
        config.set(
                JobManagerOptions.SCHEDULER_SUBMISSION_RESOURCE_STABILIZATION_TIMEOUT,
                Duration.ofMillis(100));
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        config.setString("pekko.ask.timeout", "5 min");
        resource =
                new MiniClusterWithClientResource(
                        new MiniClusterResourceConfiguration.Builder()
                                .setNumberTaskManagers(taskManagers)
                                .setNumberSlotsPerTaskManager(1)
                                .setConfiguration(config)
                                .build());
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        resource.before();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        resource.after();
    }

    private MiniCluster cluster() {
        return resource.getMiniCluster();
    }

    /** Asks for another parallelism of all of a running job that can have it. */
    void rescale(JobClient job, int parallelism) throws Exception {
        JobResourceRequirements.Builder wanted = JobResourceRequirements.newBuilder();
        for (AccessExecutionJobVertex vertex : graph(job).getVerticesTopologically()) {
            wanted.setParallelismForJobVertex(
                    vertex.getJobVertexId(), 1, Math.min(parallelism, vertex.getMaxParallelism()));
        }
        cluster().updateJobResourceRequirements(job.getJobID(), wanted.build()).get();
    }

    /** Waits until a job runs with a parallelism, all its tasks included. */
    void awaitParallelism(JobClient job, int parallelism) {
        Awaitility.await()
                .atMost(PipelineTestBase.PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> runsWith(graph(job), parallelism));
    }

    private static boolean runsWith(AccessExecutionGraph graph, int parallelism) {
        Map<String, Integer> vertices =
                StreamSupport.stream(graph.getVerticesTopologically().spliterator(), false)
                        .collect(
                                Collectors.toMap(
                                        AccessExecutionJobVertex::getName,
                                        AccessExecutionJobVertex::getParallelism));
        boolean running =
                StreamSupport.stream(graph.getAllExecutionVertices().spliterator(), false)
                        .allMatch(task -> task.getExecutionState() == ExecutionState.RUNNING);
        return graph.getState() == JobStatus.RUNNING
                && running
                && vertices.entrySet().stream()
                        .filter(vertex -> vertex.getKey().contains("Stage "))
                        .allMatch(vertex -> vertex.getValue() == parallelism)
                && !vertices.isEmpty();
    }

    private AccessExecutionGraph graph(JobClient job) throws Exception {
        return cluster().getExecutionGraph(job.getJobID()).get();
    }

    void addTaskManager() throws Exception {
        cluster().startTaskManager();
    }

    /** Ends a task manager and all that runs on it. */
    void takeTaskManagerAway(int index) throws Exception {
        cluster().terminateTaskManager(index).get();
    }
}
