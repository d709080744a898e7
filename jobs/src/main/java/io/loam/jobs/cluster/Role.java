package io.loam.jobs.cluster;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

import java.util.ArrayList;
import java.util.List;

/** The kinds of processes a cluster is made of. */
enum Role {
    JOBMANAGER(
            "jobmanager", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"),
    TASKMANAGER("taskmanager", "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"),
    GATEWAY("sql-gateway", "org.apache.flink.table.gateway.SqlGateway");

    /** The gateway has no memory settings of its own in Flink; planning a query takes little. */
    private static final List<String> GATEWAY_MEMORY =
            List.of("-Xmx512m", "-XX:MaxMetaspaceSize=256m");

    private final String text;
    private final String mainClass;

    Role(String text, String mainClass) {
        this.text = text;
        this.mainClass = mainClass;
    }

    /** The name of its only process, or the part of it before the number. */
    String text() {
        return text;
    }

    String mainClass() {
        return mainClass;
    }

    /** Heap, direct memory and metaspace, derived as Flink's own launch scripts do. */
    List<String> memoryFlags(Configuration config) {
        return switch (this) {
            case JOBMANAGER ->
                    words(
                            JobManagerProcessUtils.generateJvmParametersStr(
                                    JobManagerProcessUtils.processSpecFromConfig(config), config));
            case TASKMANAGER ->
                    words(
                            ProcessMemoryUtils.generateJvmParametersStr(
                                    TaskExecutorProcessUtils.processSpecFromConfig(config)));
            case GATEWAY -> GATEWAY_MEMORY;
        };
    }

    /** Arguments of the main class, beside the dynamic properties. */
    List<String> arguments(String configDirectory) {
        // The gateway finds its configuration through FLINK_CONF_DIR alone.
        return this == GATEWAY ? List.of() : List.of("--configDir", configDirectory);
    }

    /** Options that hold for processes of this role only. */
    List<String> options() {
        // Statements go to the cluster instead of one inside the gateway.
        return this == GATEWAY ? List.of("-Dexecution.target=remote") : List.of();
    }

    /** JVM flags of this role, beside those of all. */
    ConfigOption<String> flagsOption() {
        return switch (this) {
            case JOBMANAGER -> CoreOptions.FLINK_JM_JVM_OPTIONS;
            case TASKMANAGER -> CoreOptions.FLINK_TM_JVM_OPTIONS;
            case GATEWAY -> CoreOptions.FLINK_SQL_GATEWAY_JVM_OPTIONS;
        };
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        for (String word : text.trim().split("\\s+")) {
            if (!word.isEmpty()) {
                words.add(word);
            }
        }
        return words;
    }
}
