package io.loam.flink.connector.table;

import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging.StagingPurpose;

import java.io.IOException;
import java.util.Optional;

/** Plans tables of a catalog that a statement makes and fills as one. */
final class TableStaging {
    private final LoamCatalog catalog;
    private final TablePlanner planner;
    private final WarehouseOptions warehouse;

    TableStaging(LoamCatalog catalog, TablePlanner planner, WarehouseOptions warehouse) {
        this.catalog = catalog;
        this.planner = planner;
        this.warehouse = warehouse;
    }

    /**
     * Plans one table; nothing is made yet.
     *
     * @throws ValidationException naming what is wrong with it, or with what has its name
     */
    StagedCollection stage(ObjectPath path, ResolvedCatalogTable table, StagingPurpose purpose) {
        try {
            catalog.requireDatabase(path.getDatabaseName());
            catalog.requireNoSystemTable(path);
            Optional<CollectionInfo> present = catalog.find(path);
            switch (purpose) {
                case CREATE_TABLE_AS -> {
                    if (present.isPresent()) {
                        throw new TableAlreadyExistException(catalog.getName(), path);
                    }
                }
                case REPLACE_TABLE_AS -> {
                    if (present.isEmpty()) {
                        throw new TableNotExistException(catalog.getName(), path);
                    }
                    requireReplaceable(path, present.get());
                }
                case CREATE_OR_REPLACE_TABLE_AS -> {
                    if (present.isPresent()) {
                        requireReplaceable(path, present.get());
                    }
                }
                case CREATE_TABLE_AS_IF_NOT_EXISTS -> {} // either will do
            }
            return new StagedCollection(
                    warehouse,
                    path.getDatabaseName(),
                    path.getObjectName(),
                    present.map(CollectionInfo::id).orElse(null),
                    purpose == StagingPurpose.CREATE_TABLE_AS_IF_NOT_EXISTS,
                    planner.plan(catalog.identifier(path), table));
        } catch (DatabaseNotExistException
                | TableAlreadyExistException
                | TableNotExistException e) {
            throw new ValidationException(e.getMessage(), e);
        }
    }

    /** What is protected by a tag would be refused at the end of the job; so it is here. */
    private void requireReplaceable(ObjectPath path, CollectionInfo present) {
        try {
            long now = catalog.metastore().clockMs();
            catalog.metastore().tags(present.id()).stream()
                    .filter(tag -> tag.protect() && !tag.isExpired(now))
                    .findFirst()
                    .ifPresent(
                            tag -> {
                                throw new ValidationException(
                                        "table "
                                                + path
                                                + " cannot be replaced: it is protected by the tag "
                                                + tag.name()
                                                + "; delete it first");
                            });
        } catch (IOException e) {
            throw catalog.failed("replacing table " + path, e);
        }
    }
}
