package io.loam.flink.connector.maintenance;

import io.loam.flink.operators.maintain.CleaningReport;
import io.loam.flink.operators.maintain.CollectionSelection;
import io.loam.flink.operators.maintain.GcOperator;
import io.loam.flink.operators.maintain.MaintenanceReport;
import io.loam.flink.operators.maintain.MessageTypes;
import io.loam.flink.operators.maintain.OpenedRound;
import io.loam.flink.operators.maintain.PlanOperator;
import io.loam.flink.operators.maintain.PublishOperator;
import io.loam.flink.operators.maintain.RoundPart;
import io.loam.flink.operators.maintain.RunOperator;
import io.loam.flink.operators.maintain.TaskOrder;
import io.loam.flink.operators.maintain.TrimOperator;
import io.loam.flink.operators.maintain.WarehouseOpener;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.Retention;
import io.loam.store.gc.GcOptions;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.HotPolicy;
import io.loam.store.maintain.IndexPolicy;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MergePolicy;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.kafka.clients.CommonClientConfigs;

import javax.annotation.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps collections in shape: merges splits, purges and compacts what is deleted; and, if told how
 * often, deletes garbage and trims streams. Safe beside the jobs that write them, which never wait
 * for it.
 *
 * <pre>{@code
 * LoamMaintenance.builder()
 *         .warehouse(warehouse)
 *         .namespace("default")
 *         .build()
 *         .addTo(env);
 * }</pre>
 *
 * <p>A job of its own that runs on and on, or with {@link Builder#once} one round of every
 * collection and the end. It keeps no state; start it with or without.
 */
@PublicEvolving
public final class LoamMaintenance {
    private static final String UID = "loam-maintenance-";

    private final WarehouseOptions warehouse;
    private final CollectionSelection selection;
    private final Configuration options;
    private final boolean once;
    private final Map<String, String> kafka;

    private LoamMaintenance(Builder builder, WarehouseOptions warehouse) {
        this.warehouse = warehouse;
        this.selection = new CollectionSelection(builder.namespace, builder.collections);
        this.options = new Configuration(builder.options);
        this.once = builder.once;
        this.kafka = new HashMap<>(builder.kafka);
        options.getOptional(MaintenanceJobOptions.TRIM_SERVERS)
                .ifPresent(
                        servers ->
                                kafka.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers));
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Adds the operators to a job.
     *
     * @return what each round did; need not be used
     */
    public SingleOutputStreamOperator<MaintenanceReport> addTo(StreamExecutionEnvironment env) {
        WarehouseOptions opened = warehouse;
        WarehouseOpener opener = () -> Warehouse.open(opened);
        MaintenanceOptions maintenance = maintenance();
        addGc(env, opener);
        addTrim(env, opener);
        DataStream<Long> triggers =
                triggers(
                        env,
                        options.get(MaintenanceJobOptions.INTERVAL),
                        "Maintenance triggers",
                        "triggers");
        SingleOutputStreamOperator<TaskOrder> orders =
                triggers.transform(
                                "Plan maintenance",
                                MessageTypes.ORDER,
                                new PlanOperator(opener, selection, maintenance))
                        .setParallelism(1)
                        .setMaxParallelism(1)
                        .uid(UID + "plan");
        DataStream<OpenedRound> rounds = orders.getSideOutput(PlanOperator.ROUNDS);
        DataStream<RoundPart> results =
                orders.rebalance()
                        .transform(
                                "Run maintenance",
                                MessageTypes.PART,
                                new RunOperator(
                                        opener,
                                        maintenance,
                                        options.get(MaintenanceJobOptions.TASK_THREADS),
                                        options.get(MaintenanceJobOptions.WORK_DIRECTORY)))
                        .uid(UID + "run");
        return rounds.connect(results)
                .transform(
                        "Publish maintenance",
                        MessageTypes.REPORT,
                        new PublishOperator(opener, maintenance))
                .setParallelism(1)
                .setMaxParallelism(1)
                .uid(UID + "publish");
    }

    private DataStream<Long> triggers(
            StreamExecutionEnvironment env, Duration interval, String name, String uid) {
        return env.fromSource(
                        new TriggerSource(once ? null : interval),
                        WatermarkStrategy.noWatermarks(),
                        name)
                .setParallelism(1)
                .setMaxParallelism(1)
                .uid(UID + uid);
    }

    private void addGc(StreamExecutionEnvironment env, WarehouseOpener opener) {
        Duration interval = options.get(MaintenanceJobOptions.GC_INTERVAL);
        if (interval == null) {
            return;
        }
        GcOperator operator =
                new GcOperator(opener, options.get(MaintenanceJobOptions.OWNER), garbage());
        addCleaning(triggers(env, interval, "Garbage triggers", "gc-triggers"), operator, "gc");
    }

    private void addTrim(StreamExecutionEnvironment env, WarehouseOpener opener) {
        Duration interval = options.get(MaintenanceJobOptions.TRIM_INTERVAL);
        if (interval == null) {
            return;
        }
        Map<String, String> client = kafka;
        TrimOperator operator =
                new TrimOperator(
                        opener,
                        options.get(MaintenanceJobOptions.OWNER),
                        selection,
                        collection -> new KafkaStreamLog(client, collection),
                        retention(),
                        options.get(MaintenanceJobOptions.MAX_CLOCK_SKEW).toMillis());
        addCleaning(triggers(env, interval, "Trim triggers", "trim-triggers"), operator, "trim");
    }

    private static void addCleaning(
            DataStream<Long> triggers,
            OneInputStreamOperator<Long, CleaningReport> operator,
            String name) {
        triggers.transform("Maintenance: " + name, MessageTypes.CLEANING, operator)
                .setParallelism(1)
                .setMaxParallelism(1)
                .uid(UID + name);
    }

    private Retention retention() {
        return new Retention(
                options.get(MaintenanceJobOptions.KEEP_MANIFESTS),
                options.get(MaintenanceJobOptions.RETENTION).toMillis());
    }

    private GcOptions garbage() {
        return new GcOptions(
                retention(),
                options.get(MaintenanceJobOptions.GC_GRACE).toMillis(),
                GcOptions.DEFAULT.stagingRetentionMs(),
                GcOptions.DEFAULT.maxDeletes(),
                options.get(MaintenanceJobOptions.MAX_CLOCK_SKEW).toMillis());
    }

    /** What the options of cleaning cannot be. */
    private void checkCleaning() {
        garbage();
        if (options.contains(MaintenanceJobOptions.TRIM_INTERVAL)
                && !kafka.containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new IllegalArgumentException(
                    MaintenanceJobOptions.TRIM_INTERVAL.key()
                            + " needs "
                            + MaintenanceJobOptions.TRIM_SERVERS.key());
        }
    }

    private MaintenanceOptions maintenance() {
        return MaintenanceOptions.of(options.get(MaintenanceJobOptions.OWNER))
                .withMerge(
                        MergePolicy.DEFAULT
                                .withEnabled(options.get(MaintenanceJobOptions.MERGE))
                                .withFactors(
                                        options.get(MaintenanceJobOptions.MERGE_FACTOR),
                                        options.get(MaintenanceJobOptions.MERGE_MAX_FACTOR)))
                .withCompaction(
                        CompactionPolicy.DEFAULT.withEnabled(
                                options.get(MaintenanceJobOptions.COMPACTION)))
                .withIndex(
                        IndexPolicy.DEFAULT.withEnabled(options.get(MaintenanceJobOptions.INDEX)))
                .withHot(HotPolicy.DEFAULT.withEnabled(options.get(MaintenanceJobOptions.HOT)))
                .withMaxRebases(options.get(MaintenanceJobOptions.MAX_REBASES));
    }

    /** Builds a {@link LoamMaintenance}. */
    @PublicEvolving
    public static final class Builder {
        @Nullable private WarehouseOptions warehouse;
        private String namespace = "default";
        private List<String> collections = List.of();
        private boolean once;
        private final Configuration options = new Configuration();
        private Map<String, String> kafka = Map.of();

        private Builder() {}

        public Builder warehouse(WarehouseOptions value) {
            this.warehouse = value;
            return this;
        }

        /** The namespace whose collections are maintained; {@code default} unless given. */
        public Builder namespace(String value) {
            this.namespace = value;
            return this;
        }

        /** Only these collections of the namespace, instead of all there are at each trigger. */
        public Builder collections(String... names) {
            this.collections = List.of(names);
            return this;
        }

        /** One round of every collection, then the end; for batch and streaming execution. */
        public Builder once(boolean value) {
            this.once = value;
            return this;
        }

        /** Sets one of {@link MaintenanceJobOptions}. */
        public <T> Builder set(ConfigOption<T> option, T value) {
            options.set(option, value);
            return this;
        }

        /** Sets every one of {@link MaintenanceJobOptions} that the given configuration has. */
        public Builder options(ReadableConfig config) {
            MaintenanceJobOptions.all().forEach(option -> copy(config, option));
            return this;
        }

        private <T> void copy(ReadableConfig config, ConfigOption<T> option) {
            config.getOptional(option).ifPresent(value -> options.set(option, value));
        }

        /** Settings of the Kafka client that trims streams, such as those of its security. */
        public Builder kafka(Map<String, String> settings) {
            this.kafka = Map.copyOf(settings);
            return this;
        }

        /**
         * Looks once whether warehouse, namespace and collections are there.
         *
         * @throws IOException if one is not, or the warehouse cannot be reached
         * @throws IllegalArgumentException if no warehouse is given, or an option is out of range
         */
        public LoamMaintenance build() throws IOException {
            if (warehouse == null) {
                throw new IllegalArgumentException("maintenance needs a warehouse");
            }
            LoamMaintenance built = new LoamMaintenance(this, warehouse);
            built.maintenance(); // bad options fail here rather than in the job
            built.checkCleaning();
            if (options.get(MaintenanceJobOptions.TASK_THREADS) < 1) {
                throw new IllegalArgumentException(
                        MaintenanceJobOptions.TASK_THREADS.key()
                                + " must be at least 1, not "
                                + options.get(MaintenanceJobOptions.TASK_THREADS));
            }
            try (Warehouse opened = Warehouse.open(warehouse)) {
                if (!opened.metastore().namespaces().contains(namespace)) {
                    throw new IOException("there is no namespace \"" + namespace + "\"");
                }
                for (String name : collections) {
                    opened.open(namespace, name).close();
                }
            }
            return built;
        }
    }
}
