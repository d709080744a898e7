package io.loam.flink.connector.table;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.WarehouseOptions;
import io.loam.store.chain.ManifestChain;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.MetastoreException;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.factories.FunctionDefinitionFactory;
import org.apache.flink.table.procedures.Procedure;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A warehouse as a catalog: its namespaces are the databases, its collections the tables. What SQL
 * says of a table is kept with the collection, see {@link TableAnnotation}; a collection that was
 * made elsewhere is a table all the same, see {@link DerivedTable}. May be used from any thread.
 */
final class LoamCatalog extends NamespaceCatalog {
    private final WarehouseOptions options;
    private final CatalogTableFactory tables;
    private final TablePlanner planner;

    LoamCatalog(
            CatalogSettings settings,
            String defaultDatabase,
            WarehouseOptions options,
            ClassLoader loader) {
        super(settings.catalog(), defaultDatabase, options);
        this.options = options;
        this.planner = new TablePlanner(settings, loader);
        this.tables =
                new CatalogTableFactory(
                        settings, options, new TableStaging(this, planner, options));
    }

    @Override
    public Optional<Factory> getFactory() {
        return Optional.of(tables);
    }

    @Override
    public Optional<FunctionDefinitionFactory> getFunctionDefinitionFactory() {
        return Optional.of(
                (name, function, context) ->
                        SearchFunctions.find(
                                        name,
                                        SearchTarget.of(
                                                options, function.getOptions().get(OF_DATABASE)))
                                .orElseThrow());
    }

    @Override
    public List<String> listTables(String database) throws DatabaseNotExistException {
        requireDatabase(database);
        try {
            return metastore().collections(database).stream().map(CollectionInfo::name).toList();
        } catch (IOException e) {
            throw failed("listing tables of " + database, e);
        }
    }

    Optional<CollectionInfo> find(ObjectPath path) {
        try {
            return metastore().findCollection(path.getDatabaseName(), path.getObjectName());
        } catch (IOException e) {
            throw failed("finding table " + path, e);
        }
    }

    private CollectionInfo info(ObjectPath path) throws TableNotExistException {
        return find(path).orElseThrow(() -> new TableNotExistException(getName(), path));
    }

    /** A system table, if the name is none of a collection. */
    private Optional<SystemTable> system(ObjectPath path) {
        return SystemTable.of(path)
                .filter(table -> find(path).isEmpty())
                .filter(table -> find(SystemTable.subject(path)).isPresent());
    }

    void requireNoSystemTable(ObjectPath path) {
        if (system(path).isPresent()) {
            throw new ValidationException(
                    "table "
                            + path
                            + " tells of table "
                            + SystemTable.subject(path)
                            + " and cannot be created, altered or dropped");
        }
    }

    @Override
    public boolean tableExists(ObjectPath path) {
        return find(path).isPresent() || system(path).isPresent();
    }

    /** The table of a collection with that schema. */
    static CatalogTable table(CollectionSchema schema) {
        return TableAnnotation.read(schema).orElseGet(() -> DerivedTable.of(schema));
    }

    @Override
    public CatalogTable getTable(ObjectPath path) throws TableNotExistException {
        Optional<SystemTable> system = system(path);
        if (system.isPresent()) {
            return system.get().table();
        }
        CollectionSchema schema = info(path).schema();
        try {
            return table(schema);
        } catch (CatalogException e) {
            throw new CatalogException("table " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public CatalogBaseTable getTable(ObjectPath path, long timestampMs)
            throws TableNotExistException {
        Optional<SystemTable> system = system(path);
        if (system.isPresent() && !system.get().isOfOneVersion()) {
            throw new ValidationException(
                    "table " + path + " is read as it is now, FOR SYSTEM_TIME AS OF means nothing");
        }
        CatalogTable table = getTable(path);
        long version;
        try (CollectionHandle collection =
                opened(system.isPresent() ? SystemTable.subject(path) : path)) {
            version = ManifestChain.of(collection).openAsOf(timestampMs).version();
        } catch (IOException e) {
            throw failed("finding the version of table " + path, e);
        }
        return VersionAtTime.pinned(table, version, timestampMs);
    }

    private CollectionHandle opened(ObjectPath path) throws IOException {
        return warehouse().open(path.getDatabaseName(), path.getObjectName());
    }

    @Override
    public CatalogTableStatistics getTableStatistics(ObjectPath path)
            throws TableNotExistException {
        if (system(path).isPresent()) {
            return CatalogTableStatistics.UNKNOWN;
        }
        info(path);
        try (CollectionHandle collection = opened(path)) {
            CollectionManifest live = collection.liveWhenOpened().manifest();
            long bytes = live.splits().stream().mapToLong(SplitRef::sizeBytes).sum();
            return new CatalogTableStatistics(
                    live.liveDocCount(), live.splits().size(), bytes, bytes);
        } catch (IOException e) {
            throw failed("reading the statistics of table " + path, e);
        }
    }

    @Override
    public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
            throws TableAlreadyExistException, DatabaseNotExistException {
        requireDatabase(path.getDatabaseName());
        requireNoSystemTable(path);
        if (tableExists(path)) {
            if (ignoreIfExists) {
                return;
            }
            throw new TableAlreadyExistException(getName(), path);
        }
        TablePlanner.Planned planned = planner.plan(identifier(path), resolved(path, table));
        try {
            metastore()
                    .createCollection(
                            path.getDatabaseName(),
                            path.getObjectName(),
                            planned.first(),
                            planned.collection().partitions(),
                            null);
        } catch (MetastoreException e) {
            boolean isThere =
                    e.code() == MetastoreException.Code.COLLECTION_EXISTS
                            || e.code() == MetastoreException.Code.NAME_TAKEN;
            if (!isThere) {
                throw failed("creating table " + path, e);
            }
            if (!ignoreIfExists) {
                throw new TableAlreadyExistException(getName(), path, e);
            }
        }
    }

    ObjectIdentifier identifier(ObjectPath path) {
        return ObjectIdentifier.of(getName(), path.getDatabaseName(), path.getObjectName());
    }

    private ResolvedCatalogTable resolved(ObjectPath path, CatalogBaseTable table) {
        if (!(table instanceof ResolvedCatalogTable resolved)) {
            throw new CatalogException(
                    "catalog "
                            + getName()
                            + " keeps tables, "
                            + path
                            + " is a "
                            + table.getTableKind()
                            + "; a view can be temporary: CREATE TEMPORARY VIEW");
        }
        return resolved;
    }

    @Override
    public void dropTable(ObjectPath path, boolean ignoreIfNotExists)
            throws TableNotExistException {
        requireNoSystemTable(path);
        Optional<CollectionInfo> found = find(path);
        if (found.isEmpty()) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        try {
            metastore().dropCollection(found.get().id());
        } catch (IOException e) {
            throw failed("dropping table " + path, e);
        }
    }

    @Override
    public List<String> listProcedures(String database) throws DatabaseNotExistException {
        if (database.equals(Procedures.DATABASE)) {
            return Procedures.names();
        }
        requireDatabase(database);
        return List.of();
    }

    @Override
    public Procedure getProcedure(ObjectPath path) throws ProcedureNotExistException {
        Optional<Procedure> found =
                path.getDatabaseName().equals(Procedures.DATABASE)
                        ? new Procedures(options, getDefaultDatabase()).find(path.getObjectName())
                        : Optional.empty();
        return found.orElseThrow(() -> new ProcedureNotExistException(getName(), path));
    }

    @Override
    public void renameTable(ObjectPath path, String newName, boolean ignoreIfNotExists)
            throws TableNotExistException, TableAlreadyExistException {
        ObjectPath renamed = new ObjectPath(path.getDatabaseName(), newName);
        requireNoSystemTable(path);
        requireNoSystemTable(renamed);
        Optional<CollectionInfo> found = find(path);
        if (found.isEmpty()) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        try {
            metastore().renameCollection(found.get().id(), newName, null);
        } catch (MetastoreException e) {
            if (e.code() == MetastoreException.Code.NAME_TAKEN) {
                throw new TableAlreadyExistException(getName(), renamed, e);
            }
            throw failed("renaming table " + path, e);
        }
    }

    @Override
    public void alterTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfNotExists) {
        throw new CatalogException("table " + path + ": say what changes; ALTER TABLE does");
    }

    @Override
    public void alterTable(
            ObjectPath path,
            CatalogBaseTable table,
            List<TableChange> changes,
            boolean ignoreIfNotExists)
            throws TableNotExistException {
        requireNoSystemTable(path);
        Optional<CollectionInfo> found = find(path);
        if (found.isEmpty()) {
            if (ignoreIfNotExists) {
                return;
            }
            throw new TableNotExistException(getName(), path);
        }
        CollectionSchema present = found.get().schema();
        if (!present.annotations().containsKey(TableAnnotation.KEY)) {
            throw new ValidationException(
                    "table "
                            + path
                            + " cannot be altered: it was not made by CREATE TABLE, and follows the"
                            + " schema of its collection");
        }
        ResolvedCatalogTable resolved = resolved(path, table);
        TableEvolution.requireFollowed(
                path.getFullName(),
                resolved.getResolvedSchema()
                        .getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElse(List.of()),
                changes);
        TablePlanner.Planned planned = planner.planAltered(identifier(path), resolved);
        try {
            metastore()
                    .updateSchema(
                            found.get().id(),
                            present.version(),
                            TableEvolution.next(
                                    path.getFullName(),
                                    present,
                                    planned.collection().schema(),
                                    planned.annotation()));
        } catch (IOException e) {
            throw failed("altering table " + path, e);
        }
    }
}
