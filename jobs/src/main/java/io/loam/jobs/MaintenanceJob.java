package io.loam.jobs;

import io.loam.flink.connector.maintenance.LoamMaintenance;
import io.loam.flink.connector.maintenance.MaintenanceJobOptions;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.ParameterTool;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The side job: merges and compacts the collections of a namespace, on and on or once. It keeps no
 * state, and checkpoints are of no use to it.
 *
 * <p>Parameters, each as {@code --key value}:
 *
 * <pre>
 * --warehouse &lt;dir or URI&gt;      folder of the objects, or s3://bucket/folder (required)
 * --s3.&lt;option&gt;                 see docs/operations/s3.md
 * --retry.&lt;option&gt;              see docs/operations/faults.md
 * --metastore &lt;jdbc url&gt;        default: metastore.db in the warehouse's folder
 * --metastore-user, --metastore-password; see {@link Secrets} for those left out
 * --secrets-not-sent &lt;names&gt;    secrets that the cluster must have
 * --namespace &lt;name&gt;            default: default
 * --collections &lt;names&gt;         with commas between; default: all of the namespace
 * --once true|false             one round of each collection and the end; default false
 * --maintenance.&lt;option&gt;        see docs/reference/options.md
 * --kafka.&lt;property&gt;            passed to the client that trims streams
 * </pre>
 */
public final class MaintenanceJob {
    private static final Set<String> NAMES = Set.of("namespace", "collections", "once");

    private MaintenanceJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.execute(build(env, ParameterTool.fromArgs(args)));
    }

    /**
     * Adds the job to an environment.
     *
     * @return a name for it
     * @throws IllegalArgumentException for a parameter that is unknown, missing or wrong
     * @throws IOException if namespace or collections are not there or cannot be reached
     */
    public static String build(StreamExecutionEnvironment env, ParameterTool given)
            throws IOException {
        return build(env, given, System.getenv());
    }

    static String build(
            StreamExecutionEnvironment env, ParameterTool given, Map<String, String> environment)
            throws IOException {
        JobParameters parameters =
                JobParameters.of(
                        given,
                        NAMES,
                        List.of("kafka.<property>", "maintenance.<option>"),
                        env.getConfiguration(),
                        environment);
        String namespace = parameters.get("namespace", "default");
        LoamMaintenance.Builder maintenance =
                LoamMaintenance.builder()
                        .warehouse(parameters.warehouse())
                        .namespace(namespace)
                        .once(parameters.flag("once"))
                        .kafka(parameters.under("kafka."))
                        .options(
                                parameters.options(
                                        "maintenance.",
                                        MaintenanceJobOptions.all(),
                                        "maintenance"));
        String what = "namespace " + namespace;
        if (parameters.has("collections")) {
            what = parameters.required("collections");
            maintenance.collections(what.split(",", -1));
        }
        maintenance.build().addTo(env).sinkTo(new DiscardingSink<>()).name("Logged");
        return "loam maintain " + what;
    }
}
