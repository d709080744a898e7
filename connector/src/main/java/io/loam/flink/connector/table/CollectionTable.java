package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.SparseField;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.SchemaException;
import io.loam.codec.schema.SchemaValidator;
import io.loam.flink.connector.CollectionTruncation;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.flink.connector.table.TableColumns.TableColumn;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitMode;
import io.loam.store.commit.LeaseHeldException;
import io.loam.store.metastore.MetastoreException;

import org.apache.flink.table.api.TableException;
import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/**
 * The collection behind a table.
 *
 * @param create whether a statement that writes makes it
 * @param partitions of its implicit stream, if it is made
 * @param schema of it, if it is made
 */
record CollectionTable(
        WarehouseOptions warehouse,
        String namespace,
        String name,
        boolean create,
        int partitions,
        TableColumns columns,
        CollectionSchema schema) {

    /** Finds the collection, for a statement that reads. */
    WarehouseCollection open() {
        return find().opener();
    }

    /** Finds the collection and what is known of it, for a statement that reads. */
    WarehouseCollection.Found find() {
        try {
            WarehouseCollection.Found found = WarehouseCollection.find(warehouse, namespace, name);
            requireFits(found.info().schema());
            return found;
        } catch (IOException e) {
            throw new TableException("cannot read " + this + ": " + e.getMessage(), e);
        }
    }

    /**
     * The number of a version, for a statement that looks up; null for the newest.
     *
     * @throws ValidationException if it is not retained
     */
    @Nullable
    Long number(ReadVersion version, WarehouseCollection collection) {
        try {
            return version.resolve(collection);
        } catch (IOException e) {
            throw new ValidationException("cannot read " + this + ": " + e.getMessage(), e);
        }
    }

    /** Finds the collection or makes it, for a statement that writes. */
    WarehouseCollection.Found ensure() {
        if (create) {
            requireCreatable();
        }
        try (Warehouse opened =
                create ? Warehouse.openOrCreate(warehouse) : Warehouse.open(warehouse)) {
            if (create) {
                create(opened);
            }
            return written(opened)
                    .orElseThrow(
                            () ->
                                    new ValidationException(
                                            this
                                                    + " is not there; make it with loam create, or"
                                                    + " set 'auto-create' = 'true'"));
        } catch (IOException e) {
            throw new TableException("cannot write " + this + ": " + e.getMessage(), e);
        }
    }

    /**
     * The same for a statement that is explained: nothing is made.
     *
     * @param ofCatalog whether the statement may be one that makes the table
     */
    WarehouseCollection.Found explained(boolean ofCatalog) {
        if (!create && !ofCatalog) {
            return ensure();
        }
        requireCreatable();
        WarehouseCollection.Found unmade =
                WarehouseCollection.unmade(warehouse, namespace, name, schema, partitions);
        if (warehouse.isLocal() && !Files.exists(warehouse.directory())) {
            return unmade;
        }
        try (Warehouse opened = Warehouse.open(warehouse)) {
            return written(opened).orElse(unmade);
        } catch (ValidationException e) {
            if (ofCatalog) {
                return unmade; // REPLACE TABLE ... AS makes another than is there
            }
            throw e;
        } catch (IOException e) {
            throw new TableException("cannot write " + this + ": " + e.getMessage(), e);
        }
    }

    private Optional<WarehouseCollection.Found> written(Warehouse opened) throws IOException {
        if (opened.metastore().findCollection(namespace, name).isEmpty()) {
            return Optional.empty();
        }
        WarehouseCollection.Found found =
                WarehouseCollection.find(warehouse, opened, namespace, name);
        requireFits(found.info().schema());
        return Optional.of(found);
    }

    /** Removes every document, unless they come from a stream, which would not know of it. */
    void truncate(SinkSettings settings) {
        try {
            if (settings.mode() == CommitMode.STREAM) {
                throw new IllegalArgumentException("its changes are appended to its stream");
            }
            CollectionTruncation.run(warehouse, namespace, name, settings.collection());
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    this
                            + " cannot be truncated: "
                            + e.getMessage()
                            + "; DELETE FROM the table with 'sink.mode' = 'stream' appends a"
                            + " deletion for each document",
                    e);
        } catch (LeaseHeldException e) {
            throw new ValidationException(
                    this + " cannot be truncated while a job writes it: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new TableException("cannot truncate " + this + ": " + e.getMessage(), e);
        }
    }

    /** Refuses what a collection cannot be made for. */
    void requireCreatable() {
        try {
            SchemaValidator.validateCreation(name, partitions, schema);
        } catch (SchemaException e) {
            throw new ValidationException(this + ": " + e.getMessage(), e);
        }
    }

    private void create(Warehouse opened) throws MetastoreException {
        if (opened.metastore().findCollection(namespace, name).isPresent()) {
            return;
        }
        try {
            if (!opened.metastore().namespaces().contains(namespace)) {
                opened.metastore().createNamespace(namespace);
            }
            opened.metastore().createCollection(namespace, name, schema, partitions, null);
        } catch (MetastoreException e) {
            // Another statement was faster; whether what it made fits is looked at next.
            boolean made =
                    e.code() == MetastoreException.Code.COLLECTION_EXISTS
                            || e.code() == MetastoreException.Code.NAME_TAKEN;
            if (!made) {
                throw e;
            }
        }
    }

    /** A collection that was made elsewhere must have the table's vectors; sources are free. */
    private void requireFits(CollectionSchema actual) {
        for (TableColumn column : columns.columns()) {
            if (column.role() instanceof ColumnRole.Dense dense) {
                Vector vector =
                        actual.vectors().stream()
                                .filter(one -> one.name().equals(column.name()))
                                .findFirst()
                                .orElseThrow(() -> misfit(column, "has no dense vector"));
                if (vector.dim() != dense.dimension()) {
                    throw misfit(
                            column,
                            "has "
                                    + vector.dim()
                                    + " dimensions, the table says "
                                    + dense.dimension()
                                    + ", in its vector");
                }
            } else if (column.role() instanceof ColumnRole.Sparse
                    && actual.sparseVectors().stream()
                            .map(SparseField::name)
                            .noneMatch(column.name()::equals)) {
                throw misfit(column, "has no sparse vector");
            }
        }
    }

    private ValidationException misfit(TableColumn column, String what) {
        return new ValidationException(this + " " + what + " \"" + column.name() + "\"");
    }

    @Override
    public String toString() {
        return "collection \"" + name + "\" of namespace \"" + namespace + "\"";
    }
}
