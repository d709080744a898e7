package io.loam.jobs;

import io.loam.flink.connector.CollectionSink;
import io.loam.flink.connector.CollectionSinkOptions;
import io.loam.flink.connector.ImplicitStreamSource;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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
 * --kafka.&lt;property&gt;            passed to the consumer
 * --sink.&lt;option&gt;               see docs/reference/options.md
 * </pre>
 */
public final class ApplyCollectionJob {
    private static final String KAFKA_PREFIX = "kafka.";
    private static final String SINK_PREFIX = "sink.";
    private static final String S3_PREFIX = "s3.";
    private static final String RETRY_PREFIX = "retry.";
    private static final String OPTION_PREFIX = "loam.";

    /** What {@link ParameterTool} puts where the command line has no value. */
    private static final String NO_VALUE = "__NO_VALUE_KEY";

    private static final long MIN_INTERVAL_MS = 10;
    private static final Set<String> KNOWN =
            Set.of(
                    "warehouse",
                    "metastore",
                    "metastore-user",
                    "metastore-password",
                    Secrets.NOT_SENT,
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
        checkNames(given.toMap());
        ParameterTool parameters =
                ParameterTool.fromMap(
                        Secrets.added(given.toMap(), env.getConfiguration(), environment));
        ReadableConfig sinkOptions = sinkOptions(parameters.toMap());
        WarehouseOptions warehouse = warehouse(parameters);
        String namespace = parameters.get("namespace", "default");
        String collection = required(parameters, "collection");
        if (parameters.has("checkpoint-interval")) {
            env.enableCheckpointing(interval(parameters).toMillis());
        } else if (!env.getCheckpointConfig().isCheckpointingEnabled()) {
            env.enableCheckpointing(Duration.ofSeconds(10).toMillis());
        }
        ImplicitStreamSource.Builder source =
                ImplicitStreamSource.builder()
                        .warehouse(warehouse)
                        .collection(namespace, collection)
                        .bootstrapServers(required(parameters, "bootstrap-servers"))
                        .bounded(flag(parameters, "bounded"))
                        .acceptTopic(flag(parameters, "accept-topic"));
        if (parameters.has("source-parallelism")) {
            source.parallelism(positive(parameters, "source-parallelism"));
        }
        parameters
                .toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(KAFKA_PREFIX)) {
                                source.property(key.substring(KAFKA_PREFIX.length()), value);
                            }
                        });
        CollectionSink.builder()
                .warehouse(warehouse)
                .collection(namespace, collection)
                .options(sinkOptions)
                .build()
                .addTo(source.build().addTo(env));
    }

    private static WarehouseOptions warehouse(ParameterTool parameters) {
        return new WarehouseOptions(
                required(parameters, "warehouse"),
                parameters.get("metastore"),
                parameters.get("metastore-user"),
                parameters.get("metastore-password"),
                storeSettings(parameters.toMap()));
    }

    private static Map<String, String> storeSettings(Map<String, String> given) {
        Map<String, String> settings = new TreeMap<>();
        given.forEach(
                (name, value) -> {
                    if (name.startsWith(S3_PREFIX) || name.startsWith(RETRY_PREFIX)) {
                        if (value.equals(NO_VALUE)) {
                            throw new IllegalArgumentException(
                                    "parameter --" + name + " has no value");
                        }
                        settings.put(name, value);
                    }
                });
        return settings;
    }

    /**
     * The parameters of the sink under the keys of its options, every one known and parsed once.
     */
    private static ReadableConfig sinkOptions(Map<String, String> given) {
        Map<String, ConfigOption<?>> known = new TreeMap<>();
        for (ConfigOption<?> option : CollectionSinkOptions.all()) {
            known.put(option.key().substring(OPTION_PREFIX.length()), option);
        }
        Configuration options = new Configuration();
        for (Map.Entry<String, String> parameter : given.entrySet()) {
            String name = parameter.getKey();
            if (!name.startsWith(SINK_PREFIX)) {
                continue;
            }
            ConfigOption<?> option = known.get(name);
            if (option == null) {
                throw new IllegalArgumentException(
                        "unknown parameter --"
                                + name
                                + "; the sink has --"
                                + String.join(", --", known.keySet()));
            }
            options.setString(option.key(), parameter.getValue());
            try {
                options.get(option);
            } catch (IllegalArgumentException e) {
                throw wrong(name, parameter.getValue(), "does not fit: " + e.getMessage(), e);
            }
        }
        if (options.get(CollectionSinkOptions.MODE) != CommitMode.STREAM) {
            throw wrong(
                    "sink.mode",
                    options.get(CollectionSinkOptions.MODE).toString(),
                    "does not fit: this job applies the collection's implicit stream, which has"
                            + " offsets; leave it out",
                    null);
        }
        return options;
    }

    private static void checkNames(Map<String, String> given) {
        for (String name : given.keySet()) {
            boolean known =
                    KNOWN.contains(name)
                            || name.startsWith(KAFKA_PREFIX)
                            || name.startsWith(S3_PREFIX)
                            || name.startsWith(RETRY_PREFIX)
                            || name.startsWith(SINK_PREFIX);
            if (!known) {
                throw new IllegalArgumentException(
                        "unknown parameter --"
                                + name
                                + "; there are --"
                                + String.join(", --", new TreeSet<>(KNOWN))
                                + ", --kafka.<property>, --s3.<option>, --retry.<option> and"
                                + " --sink.<option>");
            }
        }
    }

    private static String required(ParameterTool parameters, String name) {
        String value = parameters.get(name);
        if (value == null || value.equals(NO_VALUE)) {
            throw new IllegalArgumentException("parameter --" + name + " is missing");
        }
        return value;
    }

    private static boolean flag(ParameterTool parameters, String name) {
        String text = parameters.get(name, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(name, text, "is neither true nor false", null);
        }
        return text.equals("true");
    }

    private static int positive(ParameterTool parameters, String name) {
        String text = parameters.get(name);
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong(name, text, "is no number above 0", e);
        }
        throw wrong(name, text, "is no number above 0", null);
    }

    private static IllegalArgumentException wrong(
            String name, String text, String why, @Nullable Exception cause) {
        String shown = text.equals(NO_VALUE) ? "without a value" : text;
        return new IllegalArgumentException("--" + name + " " + shown + " " + why, cause);
    }

    private static Duration interval(ParameterTool parameters) {
        Configuration parsed = new Configuration();
        String text = parameters.get("checkpoint-interval");
        parsed.setString(CheckpointingOptions.CHECKPOINTING_INTERVAL.key(), text);
        try {
            Duration interval = parsed.get(CheckpointingOptions.CHECKPOINTING_INTERVAL);
            if (interval.toMillis() >= MIN_INTERVAL_MS) {
                return interval;
            }
        } catch (IllegalArgumentException e) {
            throw wrong("checkpoint-interval", text, "is no time; write 10s or 500ms", e);
        }
        throw wrong("checkpoint-interval", text, "is too short; the least is 10ms", null);
    }
}
