package io.loam.flink.connector.table;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.factories.FactoryUtil;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of a catalog that its tables have without saying so, which keeps what is secret out
 * of tables.
 *
 * @param shared {@code warehouse}, {@code metastore.*}, {@code s3.*}, {@code retry.*}, which tell
 *     where the warehouse is and are the catalog's alone; {@code properties.*}
 */
record CatalogSettings(String catalog, Map<String, String> shared) {
    private static final List<String> OF_CATALOG =
            List.of(
                    LoamConnectorOptions.WAREHOUSE.key(),
                    LoamConnectorOptions.NAMESPACE.key(),
                    LoamConnectorOptions.COLLECTION.key(),
                    LoamConnectorOptions.AUTO_CREATE.key());
    private static final List<String> PREFIXES =
            List.of("metastore.", LoamConnectorOptions.S3, LoamConnectorOptions.RETRY);

    CatalogSettings {
        shared = Map.copyOf(shared);
    }

    /**
     * The options that a table keeps: without the connector, which is always the same.
     *
     * @throws ValidationException if another connector is meant, or an option is the catalog's
     */
    Map<String, String> kept(ObjectIdentifier table, Map<String, String> options) {
        Map<String, String> kept = new TreeMap<>(options);
        String connector = kept.remove(FactoryUtil.CONNECTOR.key());
        if (connector != null && !connector.equals(LoamDynamicTableFactory.IDENTIFIER)) {
            throw new ValidationException(
                    "table "
                            + table.asSummaryString()
                            + ": the tables of catalog "
                            + catalog
                            + " are collections; one with 'connector' = '"
                            + connector
                            + "' can be temporary (CREATE TEMPORARY TABLE), or of another catalog");
        }
        for (String key : kept.keySet()) {
            if (OF_CATALOG.contains(key) || PREFIXES.stream().anyMatch(key::startsWith)) {
                throw new ValidationException(
                        "table "
                                + table.asSummaryString()
                                + ": option "
                                + key
                                + " belongs to the catalog, and the names of database and table"
                                + " are those of namespace and collection; leave it out");
            }
        }
        return kept;
    }

    /** The table as one of the connector: the options it keeps, and where its collection is. */
    ResolvedCatalogTable located(ObjectIdentifier name, ResolvedCatalogTable table) {
        Map<String, String> options = new HashMap<>(shared);
        options.putAll(kept(name, table.getOptions()));
        options.put(LoamConnectorOptions.NAMESPACE.key(), name.getDatabaseName());
        options.put(LoamConnectorOptions.COLLECTION.key(), name.getObjectName());
        options.put(LoamConnectorOptions.AUTO_CREATE.key(), "false");
        return table.copy(options);
    }

    /**
     * The same without options of columns that are not there: those of a column are set before it
     * is added.
     */
    ResolvedCatalogTable locatedAsAltered(ObjectIdentifier name, ResolvedCatalogTable table) {
        ResolvedCatalogTable located = located(name, table);
        Map<String, String> options = new HashMap<>(located.getOptions());
        ResolvedSchema schema = table.getResolvedSchema();
        options.keySet()
                .removeIf(
                        key ->
                                key.startsWith(LoamConnectorOptions.FIELDS)
                                        && schema.getColumns().stream()
                                                .map(Column::getName)
                                                .noneMatch(column -> isOf(key, column)));
        return table.copy(options);
    }

    private static boolean isOf(String key, String column) {
        return key.startsWith(LoamConnectorOptions.FIELDS + column + ".");
    }
}
