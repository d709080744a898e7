package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.SchemaException;
import io.loam.codec.schema.SchemaValidator;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.factories.FactoryUtil;

import java.util.HashMap;
import java.util.Map;

/** Plans the collections of tables that are created or altered in a catalog. */
final class TablePlanner {
    private final LoamDynamicTableFactory connector = new LoamDynamicTableFactory();
    private final CatalogSettings settings;
    private final ClassLoader loader;

    TablePlanner(CatalogSettings settings, ClassLoader loader) {
        this.settings = settings;
        this.loader = loader;
    }

    /** A collection, and what is noted of its table. */
    record Planned(CollectionTable collection, String annotation) {
        /** The schema of a new collection. */
        CollectionSchema first() {
            CollectionSchema schema = collection.schema();
            Map<String, String> annotations = new HashMap<>(schema.annotations());
            annotations.put(TableAnnotation.KEY, annotation);
            return new CollectionSchema(
                    schema.version(),
                    schema.fields(),
                    schema.vectors(),
                    schema.sparseVectors(),
                    schema.dynamic(),
                    schema.maxFields(),
                    annotations);
        }
    }

    /**
     * Plans a table that is created.
     *
     * @throws ValidationException naming what is wrong
     */
    Planned plan(ObjectIdentifier name, ResolvedCatalogTable table) {
        requireKeepable(name, table);
        Planned planned = planned(name, table, settings.located(name, table));
        try {
            SchemaValidator.validateCreation(
                    name.getObjectName(), planned.collection().partitions(), planned.first());
        } catch (SchemaException e) {
            throw new ValidationException(
                    "table " + name.asSummaryString() + ": " + e.getMessage(), e);
        }
        return planned;
    }

    /** The same for one that is altered: options may be those of columns to come. */
    Planned planAltered(ObjectIdentifier name, ResolvedCatalogTable table) {
        requireKeepable(name, table);
        return planned(name, table, settings.locatedAsAltered(name, table));
    }

    private Planned planned(
            ObjectIdentifier name, ResolvedCatalogTable table, ResolvedCatalogTable located) {
        CollectionTable collection =
                connector.collection(
                        new FactoryUtil.DefaultDynamicTableContext(
                                name, located, Map.of(), new Configuration(), loader, false));
        new KeyColumns(collection.columns()); // refuses what cannot be a key
        return new Planned(
                collection,
                TableAnnotation.print(table.copy(settings.kept(name, table.getOptions()))));
    }

    private void requireKeepable(ObjectIdentifier name, ResolvedCatalogTable table) {
        String what = null;
        if (table.isPartitioned()) {
            what = "partition columns: PARTITIONED BY";
        } else if (table.getDistribution().isPresent()) {
            what = "distribution: DISTRIBUTED BY";
        } else if (table.getResolvedSchema().getImmutableColumns().isPresent()) {
            what = "immutable columns";
        }
        if (what != null) {
            throw new ValidationException(
                    "table " + name.asSummaryString() + ": a collection knows no " + what);
        }
    }
}
