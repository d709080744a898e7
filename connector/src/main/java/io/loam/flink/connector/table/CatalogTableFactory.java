package io.loam.flink.connector.table;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

import java.util.Set;

/** Makes sources and sinks of a catalog's tables: the connector's, in the catalog's warehouse. */
final class CatalogTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {
    private final LoamDynamicTableFactory connector = new LoamDynamicTableFactory();
    private final CatalogSettings settings;

    CatalogTableFactory(CatalogSettings settings) {
        this.settings = settings;
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        return connector.createDynamicTableSource(located(context));
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        return connector.createDynamicTableSink(located(context));
    }

    private Context located(Context context) {
        ObjectIdentifier name = context.getObjectIdentifier();
        return new FactoryUtil.DefaultDynamicTableContext(
                name,
                settings.locatedAsAltered(name, context.getCatalogTable()),
                context.getEnrichmentOptions(),
                context.getConfiguration(),
                context.getClassLoader(),
                context.isTemporary());
    }

    @Override
    public String factoryIdentifier() {
        return connector.factoryIdentifier();
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return connector.optionalOptions();
    }
}
