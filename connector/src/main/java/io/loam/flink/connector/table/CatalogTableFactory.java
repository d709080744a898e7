package io.loam.flink.connector.table;

import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

import java.util.Optional;
import java.util.Set;

/** Makes sources and sinks of a catalog's tables: the connector's, in the catalog's warehouse. */
final class CatalogTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {
    private final LoamDynamicTableFactory connector = new LoamDynamicTableFactory();
    private final CatalogSettings settings;
    private final WarehouseOptions warehouse;
    private final TableStaging staging;

    CatalogTableFactory(
            CatalogSettings settings, WarehouseOptions warehouse, TableStaging staging) {
        this.settings = settings;
        this.warehouse = warehouse;
        this.staging = staging;
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        Optional<SystemTable> system = system(context);
        if (system.isPresent()) {
            ObjectPath path = context.getObjectIdentifier().toObjectPath();
            return new SystemTableSource(
                    system.get(),
                    warehouse,
                    SystemTable.subject(path),
                    system.get().version(path, context.getCatalogTable().getOptions()));
        }
        return connector.createDynamicTableSource(located(context));
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        if (system(context).isPresent()) {
            throw new ValidationException(
                    "table "
                            + context.getObjectIdentifier().asSummaryString()
                            + " tells of a collection and cannot be written");
        }
        return connector.sink(
                located(context),
                purpose ->
                        staging.stage(
                                context.getObjectIdentifier().toObjectPath(),
                                context.getCatalogTable(),
                                purpose));
    }

    private static Optional<SystemTable> system(Context context) {
        return SystemTable.marked(context.getCatalogTable().getOptions());
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
