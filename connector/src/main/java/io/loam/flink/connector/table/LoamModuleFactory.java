package io.loam.flink.connector.table;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.ModuleFactoryHelper;
import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.module.Module;

import java.util.Set;

import static io.loam.flink.connector.table.LoamConnectorOptions.LOOKUP_MAX_RETRIES;
import static io.loam.flink.connector.table.LoamConnectorOptions.LOOKUP_REFRESH_INTERVAL;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_PASSWORD;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_URL;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_USER;
import static io.loam.flink.connector.table.LoamConnectorOptions.NAMESPACE;
import static io.loam.flink.connector.table.LoamConnectorOptions.RETRY;
import static io.loam.flink.connector.table.LoamConnectorOptions.S3;
import static io.loam.flink.connector.table.LoamConnectorOptions.WAREHOUSE;

/** Makes {@link LoamModule}s: {@code LOAD MODULE loam WITH ('warehouse' = ...)}. */
public final class LoamModuleFactory implements ModuleFactory {
    @Override
    public String factoryIdentifier() {
        return LoamDynamicTableFactory.IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(WAREHOUSE);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(
                METASTORE_URL,
                METASTORE_USER,
                METASTORE_PASSWORD,
                NAMESPACE,
                LOOKUP_REFRESH_INTERVAL,
                LOOKUP_MAX_RETRIES);
    }

    @Override
    public Module createModule(Context context) {
        ModuleFactoryHelper helper = FactoryUtil.createModuleFactoryHelper(this, context);
        helper.validateExcept(S3, RETRY);
        ReadableConfig options = helper.getOptions();
        WarehouseOptions warehouse =
                LoamDynamicTableFactory.warehouse(options, context.getOptions());
        return new LoamModule(
                new SearchTarget(
                        warehouse, options.get(NAMESPACE), LookupSettings.ofSearch(options)));
    }
}
