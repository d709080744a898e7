package io.loam.flink.connector.table;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.CatalogFactoryHelper;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_PASSWORD;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_URL;
import static io.loam.flink.connector.table.LoamConnectorOptions.METASTORE_USER;
import static io.loam.flink.connector.table.LoamConnectorOptions.PROPERTIES;
import static io.loam.flink.connector.table.LoamConnectorOptions.RETRY;
import static io.loam.flink.connector.table.LoamConnectorOptions.S3;
import static io.loam.flink.connector.table.LoamConnectorOptions.WAREHOUSE;

/** Makes catalogs with {@code 'type' = 'loam'}. */
public final class LoamCatalogFactory implements CatalogFactory {
    /** The value of the option {@code type}. */
    public static final String IDENTIFIER = "loam";

    static final ConfigOption<String> DEFAULT_DATABASE =
            ConfigOptions.key("default-database")
                    .stringType()
                    .defaultValue("default")
                    .withDescription("The database that is used if a statement names none.");

    /** Options of a catalog, in the order of the page. */
    static List<ConfigOption<?>> all() {
        return List.of(
                WAREHOUSE, METASTORE_URL, METASTORE_USER, METASTORE_PASSWORD, DEFAULT_DATABASE);
    }

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
        return Set.of(METASTORE_URL, METASTORE_USER, METASTORE_PASSWORD, DEFAULT_DATABASE);
    }

    @Override
    public Catalog createCatalog(Context context) {
        CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, context);
        helper.validateExcept(S3, RETRY, PROPERTIES);
        Map<String, String> options = new HashMap<>(context.getOptions());
        options.remove(FactoryUtil.PROPERTY_VERSION.key());
        options.remove(DEFAULT_DATABASE.key());
        options.remove("type");
        WarehouseOptions warehouse =
                LoamDynamicTableFactory.warehouse(helper.getOptions(), options);
        return new LoamCatalog(
                new CatalogSettings(context.getName(), options),
                helper.getOptions().get(DEFAULT_DATABASE),
                warehouse,
                context.getClassLoader());
    }
}
