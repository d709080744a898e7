package io.loam.flink.connector.table;

import io.loam.flink.connector.CollectionSinkOptions;
import io.loam.flink.connector.source.CollectionSourceBuilder;
import io.loam.flink.connector.source.ScanMode;
import io.loam.store.commit.CommitMode;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.LookupOptions.LookupCacheType;
import org.apache.flink.table.factories.FactoryUtil;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Options of a table with {@code 'connector' = 'loam'}. */
@PublicEvolving
public final class LoamConnectorOptions {
    /** Prefix of the options of a column: {@code fields.<column>.<option>}. */
    public static final String FIELDS = "fields.";

    /** Prefix of the object store's settings in an S3 warehouse. */
    public static final String S3 = "s3.";

    /** Prefix of the settings of retries. */
    public static final String RETRY = "retry.";

    /** Prefix of Kafka's properties, for the sink's mode STREAM. */
    public static final String PROPERTIES = "properties.";

    public static final ConfigOption<String> WAREHOUSE =
            ConfigOptions.key("warehouse")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Where the warehouse is: a local directory, or a URI such as"
                                    + " s3://bucket/folder.");

    public static final ConfigOption<String> METASTORE_URL =
            ConfigOptions.key("metastore.url")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "JDBC URL of the metastore. Default: the SQLite file in a local"
                                    + " warehouse.");

    public static final ConfigOption<String> METASTORE_USER =
            ConfigOptions.key("metastore.user")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("User of the metastore's database.");

    public static final ConfigOption<String> METASTORE_PASSWORD =
            ConfigOptions.key("metastore.password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Password of that user.");

    public static final ConfigOption<String> NAMESPACE =
            ConfigOptions.key("namespace")
                    .stringType()
                    .defaultValue("default")
                    .withDescription("Namespace of the collection.");

    public static final ConfigOption<String> COLLECTION =
            ConfigOptions.key("collection")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Name of the collection. Default: the table's name.");

    public static final ConfigOption<Boolean> AUTO_CREATE =
            ConfigOptions.key("auto-create")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether a statement that writes makes the collection, and a local"
                                    + " warehouse, if they are not there.");

    public static final ConfigOption<Integer> PARTITIONS =
            ConfigOptions.key("partitions")
                    .intType()
                    .defaultValue(4)
                    .withDescription(
                            "Partitions of the implicit stream of a collection that is made,"
                                    + " 1..10000, for ever.");

    public static final ConfigOption<CommitMode> SINK_MODE =
            ConfigOptions.key("sink.mode")
                    .enumType(CommitMode.class)
                    .defaultValue(CommitMode.DIRECT)
                    .withDescription(
                            "DIRECT: the statement commits to the collection itself. STREAM: it"
                                    + " appends to the collection's implicit stream, which another"
                                    + " job applies. A collection's first commit fixes it for"
                                    + " good.");

    public static final ConfigOption<DeliveryGuarantee> SINK_DELIVERY_GUARANTEE =
            ConfigOptions.key("sink.delivery-guarantee")
                    .enumType(DeliveryGuarantee.class)
                    .defaultValue(DeliveryGuarantee.AT_LEAST_ONCE)
                    .withDescription(
                            "How the mode STREAM appends: at-least-once or exactly-once, the latter"
                                    + " in transactions of Kafka; as Kafka's connector has it. A"
                                    + " repeated upsert or delete of a key comes to the same.");

    public static final ConfigOption<String> SINK_TRANSACTIONAL_ID_PREFIX =
            ConfigOptions.key("sink.transactional-id-prefix")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "For exactly-once in the mode STREAM: a prefix that no other job at the"
                                    + " same brokers has.");

    public static final ConfigOption<Integer> SINK_PARALLELISM = FactoryUtil.SINK_PARALLELISM;

    public static final ConfigOption<Long> SCAN_VERSION =
            ConfigOptions.key("scan.version")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "Version of the collection to read, or after which changes are read."
                                    + " Default: the newest.");

    public static final ConfigOption<ScanMode> SCAN_MODE =
            ConfigOptions.key("scan.mode")
                    .enumType(ScanMode.class)
                    .defaultValue(ScanMode.DEFAULT)
                    .withDescription(
                            "Which rows or changes to read: default, latest, full or"
                                    + " from-version.");

    public static final ConfigOption<Long> SCAN_TIMESTAMP_MILLIS =
            ConfigOptions.key("scan.timestamp-millis")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "Time, in milliseconds since the epoch, whose newest version to read.");

    public static final ConfigOption<String> SCAN_TAG =
            ConfigOptions.key("scan.tag")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Tag whose version to read, retained or not.");

    public static final ConfigOption<Duration> SCAN_DISCOVERY_INTERVAL =
            ConfigOptions.key("scan.discovery-interval")
                    .durationType()
                    .defaultValue(CollectionSourceBuilder.DISCOVERY_INTERVAL)
                    .withDescription(
                            "How long a scan of changes waits between looks for new ones.");

    public static final ConfigOption<Integer> SCAN_PARALLELISM = FactoryUtil.SOURCE_PARALLELISM;

    public static final ConfigOption<Boolean> IGNORE_PARSE_ERRORS =
            ConfigOptions.key("ignore-parse-errors")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether a value that is none of its column's type reads as NULL"
                                    + " instead of failing the statement.");

    public static final ConfigOption<Boolean> LOOKUP_ASYNC =
            ConfigOptions.key("lookup.async")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Whether a lookup join looks up several keys side by side.");

    public static final ConfigOption<Duration> LOOKUP_REFRESH_INTERVAL =
            ConfigOptions.key("lookup.refresh-interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(1))
                    .withDescription(
                            "How long lookups and searches use a version before they look for a"
                                    + " newer one.");

    public static final ConfigOption<Integer> LOOKUP_MAX_RETRIES =
            LookupOptions.MAX_RETRIES.withDescription(
                    "Retries of a lookup or search that failed to read.");

    public static final ConfigOption<LookupCacheType> LOOKUP_CACHE =
            LookupOptions.CACHE_TYPE.withDescription(
                    "Whether a lookup join keeps rows by key: NONE or PARTIAL. PARTIAL needs one of"
                            + " the bounds that follow.");

    public static final ConfigOption<Long> LOOKUP_CACHE_MAX_ROWS =
            LookupOptions.PARTIAL_CACHE_MAX_ROWS;

    public static final ConfigOption<Duration> LOOKUP_CACHE_EXPIRE_AFTER_WRITE =
            LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE;

    public static final ConfigOption<Duration> LOOKUP_CACHE_EXPIRE_AFTER_ACCESS =
            LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS;

    public static final ConfigOption<Boolean> LOOKUP_CACHE_MISSING_KEY =
            LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY;

    private static final String SINK_PREFIX = "loam.";

    private LoamConnectorOptions() {}

    /** Options of the table's own, in the order of the reference page. */
    public static List<ConfigOption<?>> all() {
        return List.of(
                WAREHOUSE,
                METASTORE_URL,
                METASTORE_USER,
                METASTORE_PASSWORD,
                NAMESPACE,
                COLLECTION,
                AUTO_CREATE,
                PARTITIONS,
                SINK_MODE,
                SINK_DELIVERY_GUARANTEE,
                SINK_TRANSACTIONAL_ID_PREFIX,
                SINK_PARALLELISM,
                SCAN_MODE,
                SCAN_VERSION,
                SCAN_TIMESTAMP_MILLIS,
                SCAN_TAG,
                SCAN_DISCOVERY_INTERVAL,
                SCAN_PARALLELISM,
                IGNORE_PARSE_ERRORS,
                LOOKUP_ASYNC,
                LOOKUP_REFRESH_INTERVAL,
                LOOKUP_MAX_RETRIES,
                LOOKUP_CACHE,
                LOOKUP_CACHE_MAX_ROWS,
                LOOKUP_CACHE_EXPIRE_AFTER_WRITE,
                LOOKUP_CACHE_EXPIRE_AFTER_ACCESS,
                LOOKUP_CACHE_MISSING_KEY);
    }

    /**
     * The options of a table that are those of its sink, {@link CollectionSinkOptions}, under the
     * same keys without {@code loam.}.
     */
    static List<ConfigOption<?>> ofSink() {
        List<ConfigOption<?>> options = new ArrayList<>();
        for (ConfigOption<?> option : CollectionSinkOptions.all()) {
            String key = option.key().substring(SINK_PREFIX.length());
            if (!option.equals(CollectionSinkOptions.MODE)) {
                options.add(
                        ConfigOptions.key(key)
                                .stringType()
                                .noDefaultValue()
                                .withDescription(option.description()));
            }
        }
        return options;
    }

    /**
     * What a table says of its sink, as options of the sink.
     *
     * @throws ValidationException if a value cannot be parsed
     */
    static Configuration sink(ReadableConfig table) {
        Configuration sink = new Configuration();
        for (ConfigOption<?> option : ofSink()) {
            table.getOptional(option)
                    .ifPresent(value -> sink.setString(SINK_PREFIX + option.key(), (String) value));
        }
        for (ConfigOption<?> option : CollectionSinkOptions.all()) {
            try {
                sink.getOptional(option);
            } catch (IllegalArgumentException e) {
                throw new ValidationException(
                        "option "
                                + option.key().substring(SINK_PREFIX.length())
                                + ": "
                                + e.getMessage(),
                        e);
            }
        }
        return sink;
    }
}
