package io.loam.flink.connector.table;

import org.apache.flink.table.catalog.AbstractCatalog;
import org.apache.flink.table.catalog.CatalogFunction;
import org.apache.flink.table.catalog.CatalogFunctionImpl;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.FunctionLanguage;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.expressions.Expression;

import java.util.List;
import java.util.Map;

/**
 * A catalog of databases and tables: no views, no functions but those that search, no partitions.
 */
abstract class PlainCatalog extends AbstractCatalog {
    /** The option of a function that names its database. */
    static final String OF_DATABASE = "database";

    PlainCatalog(String name, String defaultDatabase) {
        super(name, defaultDatabase);
    }

    /** The error that a catalog keeps no such thing. */
    final CatalogException keepsNo(String what) {
        return new CatalogException("catalog " + getName() + " keeps no " + what);
    }

    @Override
    public final List<String> listViews(String database) {
        return List.of();
    }

    @Override
    public final List<CatalogPartitionSpec> listPartitions(ObjectPath path)
            throws TableNotPartitionedException {
        throw new TableNotPartitionedException(getName(), path);
    }

    @Override
    public final List<CatalogPartitionSpec> listPartitions(
            ObjectPath path, CatalogPartitionSpec spec) throws TableNotPartitionedException {
        throw new TableNotPartitionedException(getName(), path);
    }

    @Override
    public final List<CatalogPartitionSpec> listPartitionsByFilter(
            ObjectPath path, List<Expression> filters) throws TableNotPartitionedException {
        throw new TableNotPartitionedException(getName(), path);
    }

    @Override
    public final CatalogPartition getPartition(ObjectPath path, CatalogPartitionSpec spec)
            throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final boolean partitionExists(ObjectPath path, CatalogPartitionSpec spec) {
        return false;
    }

    @Override
    public final void createPartition(
            ObjectPath path,
            CatalogPartitionSpec spec,
            CatalogPartition partition,
            boolean ignoreIfExists)
            throws TableNotPartitionedException {
        throw new TableNotPartitionedException(getName(), path);
    }

    @Override
    public final void dropPartition(
            ObjectPath path, CatalogPartitionSpec spec, boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final void alterPartition(
            ObjectPath path,
            CatalogPartitionSpec spec,
            CatalogPartition partition,
            boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final List<String> listFunctions(String database) {
        return SearchFunctions.NAMES;
    }

    /** A function that searches the collections of its database, see {@link #OF_DATABASE}. */
    @Override
    public final CatalogFunction getFunction(ObjectPath path) throws FunctionNotExistException {
        if (!functionExists(path)) {
            throw new FunctionNotExistException(getName(), path);
        }
        return new CatalogFunctionImpl(
                SearchFunction.class.getName(),
                FunctionLanguage.JAVA,
                List.of(),
                Map.of(OF_DATABASE, path.getDatabaseName()));
    }

    @Override
    public final boolean functionExists(ObjectPath path) {
        return SearchFunctions.has(path.getObjectName());
    }

    @Override
    public final void createFunction(
            ObjectPath path, CatalogFunction function, boolean ignoreIfExists) {
        throw keepsNo("functions; CREATE TEMPORARY FUNCTION makes one of the session");
    }

    @Override
    public final void alterFunction(
            ObjectPath path, CatalogFunction function, boolean ignoreIfNotExists)
            throws FunctionNotExistException {
        throw new FunctionNotExistException(getName(), path);
    }

    @Override
    public final void dropFunction(ObjectPath path, boolean ignoreIfNotExists)
            throws FunctionNotExistException {
        if (!ignoreIfNotExists) {
            throw new FunctionNotExistException(getName(), path);
        }
    }

    @Override
    public final CatalogColumnStatistics getTableColumnStatistics(ObjectPath path) {
        return CatalogColumnStatistics.UNKNOWN;
    }

    @Override
    public final CatalogTableStatistics getPartitionStatistics(
            ObjectPath path, CatalogPartitionSpec spec) throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final CatalogColumnStatistics getPartitionColumnStatistics(
            ObjectPath path, CatalogPartitionSpec spec) throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final void alterTableStatistics(
            ObjectPath path, CatalogTableStatistics statistics, boolean ignoreIfNotExists) {
        throw keepsNo("statistics; it tells those of the newest version");
    }

    @Override
    public final void alterTableColumnStatistics(
            ObjectPath path, CatalogColumnStatistics statistics, boolean ignoreIfNotExists) {
        throw keepsNo("statistics; it tells those of the newest version");
    }

    @Override
    public final void alterPartitionStatistics(
            ObjectPath path,
            CatalogPartitionSpec spec,
            CatalogTableStatistics statistics,
            boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }

    @Override
    public final void alterPartitionColumnStatistics(
            ObjectPath path,
            CatalogPartitionSpec spec,
            CatalogColumnStatistics statistics,
            boolean ignoreIfNotExists)
            throws PartitionNotExistException {
        throw new PartitionNotExistException(getName(), path, spec);
    }
}
