package io.loam.jobs;

import io.loam.flink.connector.CollectionSink;
import io.loam.flink.connector.CollectionSinkOptions;
import io.loam.flink.connector.ImplicitStreamSource;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The main job: applies a collection's implicit stream to the collection, one manifest a
 * checkpoint.
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
 * --collection &lt;name&gt;           (required)
 * --bootstrap-servers &lt;list&gt;    Kafka brokers (required)
 * --checkpoint-interval &lt;time&gt;  such as 10s; default: what the cluster sets, else 10s
 * --source-parallelism &lt;n&gt;      default: the job's parallelism
 * --bounded true|false          end at the log's present end; default false
 * --accept-topic true|false     go on although the topic's id is another; default false
 * --kafka.&lt;property&gt;            passed to the consumer
 * --sink.&lt;option&gt;               see docs/reference/options.md
 * </pre>
 */
public final class ApplyCollectionJob {
    private static final String KAFKA_PREFIX = "kafka.";
    private static final String SINK_PREFIX = "sink.";
    private static final long MIN_INTERVAL_MS = 10;
    private static final Set<String> NAMES =
            Set.of(
                    "namespace",
                    "collection",
                    "bootstrap-servers",
                    "checkpoint-interval",
                    "source-parallelism",
                    "bounded",
                    "accept-topic");

    private ApplyCollectionJob() {}

    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        build(env, parameters);
        env.execute("loam apply " + parameters.getRequired("collection"));
    }

    /**
     * Adds the job to an environment.
     *
     * @throws IllegalArgumentException for a parameter that is unknown, missing or wrong
     * @throws IOException if collection or topic are not there or cannot be reached
     */
    public static void build(StreamExecutionEnvironment env, ParameterTool parameters)
            throws IOException {
        build(env, parameters, System.getenv());
    }

    static void build(
            StreamExecutionEnvironment env, ParameterTool given, Map<String, String> environment)
            throws IOException {
        JobParameters parameters =
                JobParameters.of(
                        given,
                        NAMES,
                        List.of("kafka.<property>", "sink.<option>"),
                        env.getConfiguration(),
                        environment);
        ReadableConfig sinkOptions = sinkOptions(parameters);
        WarehouseOptions warehouse = parameters.warehouse();
        String namespace = parameters.get("namespace", "default");
        String collection = parameters.required("collection");
        if (parameters.has("checkpoint-interval")) {
            env.enableCheckpointing(interval(parameters).toMillis());
        } else if (!env.getCheckpointConfig().isCheckpointingEnabled()) {
            env.enableCheckpointing(Duration.ofSeconds(10).toMillis());
        }
        ImplicitStreamSource.Builder source =
                ImplicitStreamSource.builder()
                        .warehouse(warehouse)
                        .collection(namespace, collection)
                        .bootstrapServers(parameters.required("bootstrap-servers"))
                        .bounded(parameters.flag("bounded"))
                        .acceptTopic(parameters.flag("accept-topic"));
        if (parameters.has("source-parallelism")) {
            source.parallelism(parameters.positive("source-parallelism"));
        }
        parameters.under(KAFKA_PREFIX).forEach(source::property);
        CollectionSink.builder()
                .warehouse(warehouse)
                .collection(namespace, collection)
                .options(sinkOptions)
                .build()
                .addTo(source.build().addTo(env));
    }

    private static ReadableConfig sinkOptions(JobParameters parameters) {
        Configuration options =
                parameters.options(SINK_PREFIX, CollectionSinkOptions.all(), "the sink");
        if (options.get(CollectionSinkOptions.MODE) != CommitMode.STREAM) {
            throw JobParameters.wrong(
                    "sink.mode",
                    options.get(CollectionSinkOptions.MODE).toString(),
                    "does not fit: this job applies the collection's implicit stream, which has"
                            + " offsets; leave it out",
                    null);
        }
        return options;
    }

    private static Duration interval(JobParameters parameters) {
        Configuration parsed = new Configuration();
        String text = parameters.get("checkpoint-interval", "");
        parsed.setString(CheckpointingOptions.CHECKPOINTING_INTERVAL.key(), text);
        try {
            Duration interval = parsed.get(CheckpointingOptions.CHECKPOINTING_INTERVAL);
            if (interval.toMillis() >= MIN_INTERVAL_MS) {
                return interval;
            }
        } catch (IllegalArgumentException e) {
            throw JobParameters.wrong(
                    "checkpoint-interval", text, "is no time; write 10s or 500ms", e);
        }
        throw JobParameters.wrong(
                "checkpoint-interval", text, "is too short; the least is 10ms", null);
    }
}
