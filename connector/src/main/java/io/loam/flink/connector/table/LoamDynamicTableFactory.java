package io.loam.flink.connector.table;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging.StagingPurpose;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.TableFactoryHelper;

import javax.annotation.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import static io.loam.flink.connector.table.LoamConnectorOptions.AUTO_CREATE;
import static io.loam.flink.connector.table.LoamConnectorOptions.COLLECTION;
import static io.loam.flink.connector.table.LoamConnectorOptions.FIELDS;
import static io.loam.flink.connector.table.LoamConnectorOptions.IGNORE_PARSE_ERRORS;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_PASSWORD;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_URL;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_USER;
import static io.loam.flink.connector.table.LoamConnectorOptions.NAMESPACE;
import static io.loam.flink.connector.table.LoamConnectorOptions.PARTITIONS;
import static io.loam.flink.connector.table.LoamConnectorOptions.PROPERTIES;
import static io.loam.flink.connector.table.LoamConnectorOptions.RETRY;
import static io.loam.flink.connector.table.LoamConnectorOptions.S3;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_PARALLELISM;
import static io.loam.flink.connector.table.LoamConnectorOptions.WAREHOUSE;

/** Makes sinks and sources of tables with {@code 'connector' = 'loam'}. */
public final class LoamDynamicTableFactory
        implements DynamicTableSinkFactory, DynamicTableSourceFactory {
    /** The value of the option {@code connector}. */
    public static final String IDENTIFIER = "loam";

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(WAREHOUSE);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> options = new HashSet<>(LoamConnectorOptions.all());
        options.remove(WAREHOUSE);
        options.addAll(LoamConnectorOptions.ofSink());
        return options;
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        return sink(context, null);
    }

    /**
     * A sink, for a table of a catalog, too.
     *
     * @param staging makes the table itself; null outside of a catalog that can
     */
    LoamTableSink sink(
            Context context, @Nullable Function<StagingPurpose, StagedCollection> staging) {
        TableFactoryHelper helper = validated(context);
        ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
        ColumnPlanner.requireVirtualMetadata(
                context.getObjectIdentifier().asSummaryString(), schema);
        return new LoamTableSink(
                table(context, helper.getOptions()),
                SinkSettings.of(helper.getOptions(), context.getCatalogTable().getOptions()),
                schema,
                staging);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        TableFactoryHelper helper = validated(context);
        return new LoamTableSource(
                table(context, helper.getOptions()),
                ScanStart.of(helper.getOptions()),
                helper.getOptions().getOptional(SCAN_PARALLELISM).orElse(null),
                helper.getOptions().get(IGNORE_PARSE_ERRORS),
                LookupSettings.of(helper.getOptions()),
                context.getPhysicalRowDataType());
    }

    /**
     * The collection behind a table, everything the table says being checked.
     *
     * @throws ValidationException naming what is wrong
     */
    CollectionTable collection(Context context) {
        TableFactoryHelper helper = validated(context);
        SinkSettings.of(helper.getOptions(), context.getCatalogTable().getOptions());
        ScanStart.of(helper.getOptions());
        LookupSettings.of(helper.getOptions());
        return table(context, helper.getOptions());
    }

    private TableFactoryHelper validated(Context context) {
        TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validateExcept(FIELDS, S3, RETRY, PROPERTIES);
        return helper;
    }

    private static CollectionTable table(Context context, ReadableConfig options) {
        ObjectIdentifier name = context.getObjectIdentifier();
        Map<String, String> all = context.getCatalogTable().getOptions();
        ColumnPlanner planner =
                ColumnPlanner.of(
                        name.asSummaryString(), context.getCatalogTable().getResolvedSchema(), all);
        return new CollectionTable(
                warehouse(options, all),
                options.get(NAMESPACE),
                options.getOptional(COLLECTION).orElse(name.getObjectName()),
                options.get(AUTO_CREATE),
                options.get(PARTITIONS),
                planner.columns(),
                planner.schema());
    }

    /**
     * The warehouse that options tell of.
     *
     * @throws ValidationException naming what is wrong
     */
    static WarehouseOptions warehouse(ReadableConfig options, Map<String, String> all) {
        Map<String, String> properties = new HashMap<>();
        for (String prefix : List.of(S3, RETRY)) {
            all.forEach(
                    (key, value) -> {
                        if (key.startsWith(prefix)) {
                            properties.put(key, value);
                        }
                    });
        }
        try {
            return new WarehouseOptions(
                    options.get(WAREHOUSE),
                    options.getOptional(METASTORE_URL).orElse(null),
                    options.getOptional(METASTORE_USER).orElse(null),
                    options.getOptional(METASTORE_PASSWORD).orElse(null),
                    properties);
        } catch (IllegalArgumentException e) {
            throw new ValidationException(e.getMessage(), e);
        }
    }
}
