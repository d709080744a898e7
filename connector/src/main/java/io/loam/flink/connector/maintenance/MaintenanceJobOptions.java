package io.loam.flink.connector.maintenance;

import io.loam.store.chain.Retention;
import io.loam.store.gc.GcOptions;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MergePolicy;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

import java.time.Duration;
import java.util.List;

/** Options of {@link LoamMaintenance}. */
@PublicEvolving
public final class MaintenanceJobOptions {
    public static final ConfigOption<String> OWNER =
            ConfigOptions.key("loam.maintenance.owner")
                    .stringType()
                    .defaultValue("maintenance")
                    .withDescription("Who maintains, as leases and the history name it.");

    public static final ConfigOption<Duration> INTERVAL =
            ConfigOptions.key("loam.maintenance.interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How often every collection is looked at for something to do. A"
                                    + " collection has one round at a time.");

    public static final ConfigOption<Integer> TASK_THREADS =
            ConfigOptions.key("loam.maintenance.task-threads")
                    .intType()
                    .defaultValue(1)
                    .withDescription("Tasks that one subtask runs at once.");

    public static final ConfigOption<String> WORK_DIRECTORY =
            ConfigOptions.key("loam.maintenance.work-directory")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Local directory files are built in. Default: the task manager's"
                                    + " temporary directory.");

    public static final ConfigOption<Boolean> MERGE =
            ConfigOptions.key("loam.maintenance.merge.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Whether splits are merged, and purged of deleted documents.");

    public static final ConfigOption<Integer> MERGE_FACTOR =
            ConfigOptions.key("loam.maintenance.merge.factor")
                    .intType()
                    .defaultValue(MergePolicy.DEFAULT.mergeFactor())
                    .withDescription(
                            "Splits of one size that make a merge due, unless fewer reach the"
                                    + " target.");

    public static final ConfigOption<Integer> MERGE_MAX_FACTOR =
            ConfigOptions.key("loam.maintenance.merge.max-factor")
                    .intType()
                    .defaultValue(MergePolicy.DEFAULT.maxMergeFactor())
                    .withDescription("Most splits of one merge.");

    public static final ConfigOption<Boolean> COMPACTION =
            ConfigOptions.key("loam.maintenance.compaction.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether small fragments, and those with many deleted rows, are"
                                    + " rewritten.");

    public static final ConfigOption<Boolean> INDEX =
            ConfigOptions.key("loam.maintenance.index.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Whether indexes of vectors and keys are built.");

    public static final ConfigOption<Boolean> HOT =
            ConfigOptions.key("loam.maintenance.hot.enabled")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Whether hot graphs are built of the vectors that want one.");

    public static final ConfigOption<Integer> MAX_REBASES =
            ConfigOptions.key("loam.maintenance.max-rebases")
                    .intType()
                    .defaultValue(MaintenanceOptions.DEFAULT_MAX_REBASES)
                    .withDescription(
                            "How often a round that lost its swap to another commit is fitted to"
                                    + " the new version before it is given up.");

    public static final ConfigOption<Duration> GC_INTERVAL =
            ConfigOptions.key("loam.maintenance.gc.interval")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "How often the garbage of the whole warehouse is collected. Default:"
                                    + " never.");

    public static final ConfigOption<Duration> GC_GRACE =
            ConfigOptions.key("loam.maintenance.gc.grace")
                    .durationType()
                    .defaultValue(Duration.ofMillis(GcOptions.DEFAULT.graceMs()))
                    .withDescription(
                            "Age below which garbage collection deletes nothing; must exceed the"
                                    + " longest query, and 30 min.");

    public static final ConfigOption<Duration> TRIM_INTERVAL =
            ConfigOptions.key("loam.maintenance.trim.interval")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "How often the streams of the collections are trimmed. Default:"
                                    + " never.");

    public static final ConfigOption<String> TRIM_SERVERS =
            ConfigOptions.key("loam.maintenance.trim.bootstrap-servers")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Kafka of the streams, needed to trim them.");

    public static final ConfigOption<Duration> RETENTION =
            ConfigOptions.key("loam.maintenance.retention")
                    .durationType()
                    .defaultValue(Duration.ofMillis(Retention.DEFAULT.retentionMs()))
                    .withDescription(
                            "How long superseded versions stay, for garbage collection and"
                                    + " trimming; at least the grace.");

    public static final ConfigOption<Integer> KEEP_MANIFESTS =
            ConfigOptions.key("loam.maintenance.keep-manifests")
                    .intType()
                    .defaultValue(Retention.DEFAULT.keepManifests())
                    .withDescription("So many superseded versions stay whatever their age.");

    public static final ConfigOption<Duration> MAX_CLOCK_SKEW =
            ConfigOptions.key("loam.maintenance.max-clock-skew")
                    .durationType()
                    .defaultValue(Duration.ofMillis(GcOptions.DEFAULT.maxClockSkewMs()))
                    .withDescription(
                            "How far the clocks of metastore and object store may be apart, for"
                                    + " garbage collection and trimming.");

    private MaintenanceJobOptions() {}

    /** Every option, in the order of the reference page. */
    public static List<ConfigOption<?>> all() {
        return List.of(
                OWNER,
                INTERVAL,
                TASK_THREADS,
                WORK_DIRECTORY,
                MERGE,
                MERGE_FACTOR,
                MERGE_MAX_FACTOR,
                COMPACTION,
                INDEX,
                HOT,
                MAX_REBASES,
                GC_INTERVAL,
                GC_GRACE,
                TRIM_INTERVAL,
                TRIM_SERVERS,
                RETENTION,
                KEEP_MANIFESTS,
                MAX_CLOCK_SKEW);
    }
}
