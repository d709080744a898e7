package io.loam.flink.connector.table;

import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;

import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The databases of a catalog: the namespaces of a warehouse, which stays open as the catalog. */
abstract class NamespaceCatalog extends PlainCatalog {
    private final WarehouseOptions options;
    @Nullable private Warehouse warehouse;

    NamespaceCatalog(String name, String defaultDatabase, WarehouseOptions options) {
        super(name, defaultDatabase);
        this.options = options;
    }

    @Override
    public synchronized void open() {
        try {
            warehouse = Warehouse.openOrCreate(options);
        } catch (IOException | IllegalArgumentException e) {
            throw new CatalogException(
                    "cannot open catalog " + getName() + ": " + e.getMessage(), e);
        }
        if (!databaseExists(getDefaultDatabase())) {
            close();
            throw new CatalogException(
                    "catalog "
                            + getName()
                            + ": option default-database: the warehouse has no namespace \""
                            + getDefaultDatabase()
                            + "\"");
        }
    }

    @Override
    public synchronized void close() {
        try (Warehouse closing = warehouse) {
            warehouse = null;
        } catch (IOException e) {
            throw failed("closing", e);
        }
    }

    final synchronized Warehouse warehouse() {
        if (warehouse == null) {
            throw new CatalogException("catalog " + getName() + " is not open");
        }
        return warehouse;
    }

    final Metastore metastore() {
        return warehouse().metastore();
    }

    final CatalogException failed(String what, IOException e) {
        return new CatalogException(
                "catalog " + getName() + ": " + what + " failed: " + e.getMessage(), e);
    }

    @Override
    public List<String> listDatabases() {
        try {
            return metastore().namespaces();
        } catch (IOException e) {
            throw failed("listing databases", e);
        }
    }

    @Override
    public boolean databaseExists(String name) {
        return listDatabases().contains(name);
    }

    @Override
    public CatalogDatabase getDatabase(String name) throws DatabaseNotExistException {
        requireDatabase(name);
        return new CatalogDatabaseImpl(Map.of(), null);
    }

    final void requireDatabase(String name) throws DatabaseNotExistException {
        if (!databaseExists(name)) {
            throw new DatabaseNotExistException(getName(), name);
        }
    }

    @Override
    public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists)
            throws DatabaseAlreadyExistException {
        boolean hasComment = database.getComment() != null && !database.getComment().isEmpty();
        if (hasComment || !database.getProperties().isEmpty()) {
            throw keepsNo("comments and options of databases; leave them out of " + name);
        }
        try {
            metastore().createNamespace(name);
        } catch (MetastoreException e) {
            if (e.code() != MetastoreException.Code.NAMESPACE_EXISTS) {
                throw failed("creating database " + name, e);
            }
            if (!ignoreIfExists) {
                throw new DatabaseAlreadyExistException(getName(), name, e);
            }
        }
    }

    @Override
    public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
            throws DatabaseNotExistException, DatabaseNotEmptyException {
        try {
            metastore().dropNamespace(name, cascade);
        } catch (MetastoreException e) {
            switch (e.code()) {
                case NAMESPACE_NOT_FOUND -> {
                    if (!ignoreIfNotExists) {
                        throw new DatabaseNotExistException(getName(), name, e);
                    }
                }
                case NAMESPACE_NOT_EMPTY -> throw new DatabaseNotEmptyException(getName(), name, e);
                default -> throw failed("dropping database " + name, e);
            }
        }
    }

    @Override
    public void alterDatabase(String name, CatalogDatabase database, boolean ignoreIfNotExists) {
        throw keepsNo("options of databases, so " + name + " cannot be altered");
    }
}
