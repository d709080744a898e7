package io.loam.store;

import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.object.ObjectStore;
import io.loam.store.spi.RowStoreProvider;
import io.loam.store.spi.SplitStoreProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A metastore and the object store its pointers point into. May be used from any thread. */
public final class Warehouse implements AutoCloseable {
    private final Metastore metastore;
    private final ObjectStore objects;
    private final StoreProviders providers;

    private Warehouse(Metastore metastore, ObjectStore objects, StoreProviders providers) {
        this.metastore = metastore;
        this.objects = objects;
        this.providers = providers;
    }

    /** A warehouse of given parts; closing it closes metastore and object store. */
    public static Warehouse of(
            Metastore metastore,
            ObjectStore objects,
            RowStoreProvider rows,
            SplitStoreProvider splits) {
        return new Warehouse(metastore, objects, StoreProviders.of(rows, splits));
    }

    /**
     * Opens a warehouse that exists.
     *
     * @throws IOException if there is none, naming the directory
     */
    public static Warehouse open(WarehouseOptions options) throws IOException {
        Path directory = options.directory();
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    "there is no warehouse at "
                            + directory
                            + "; create a collection first, or give another directory");
        }
        if (options.metastoreUrl() == null
                && !Files.exists(directory.resolve(WarehouseOptions.METASTORE_FILE))) {
            throw new IOException(
                    "the directory "
                            + directory
                            + " has no "
                            + WarehouseOptions.METASTORE_FILE
                            + "; create a collection first, or name the metastore's JDBC URL");
        }
        return connect(options, directory);
    }

    /**
     * Opens a warehouse, making it if it does not exist yet.
     *
     * @throws IOException if its directory cannot be written
     */
    public static Warehouse openOrCreate(WarehouseOptions options) throws IOException {
        Path directory = options.directory();
        try (LocalObjectStore objects = LocalObjectStore.open(directory)) {
            objects.requireWritable();
        }
        return connect(options, directory);
    }

    private static Warehouse connect(WarehouseOptions options, Path directory) throws IOException {
        StoreProviders providers = StoreProviders.from(classLoader());
        ObjectStore objects = LocalObjectStore.open(directory);
        try {
            Metastore metastore =
                    JdbcMetastore.open(
                            options.effectiveMetastoreUrl(),
                            options.metastoreUser(),
                            options.metastorePassword());
            return new Warehouse(metastore, objects, providers);
        } catch (IOException e) {
            objects.close();
            throw e;
        }
    }

    private static ClassLoader classLoader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : Warehouse.class.getClassLoader();
    }

    /**
     * Opens a collection by name; one round trip.
     *
     * @throws MetastoreException COLLECTION_NOT_FOUND
     */
    public CollectionHandle open(String namespace, String name) throws IOException {
        CollectionHead head =
                metastore
                        .head(namespace, name)
                        .orElseThrow(
                                () ->
                                        new MetastoreException(
                                                MetastoreException.Code.COLLECTION_NOT_FOUND,
                                                "there is no collection \""
                                                        + name
                                                        + "\" in namespace \""
                                                        + namespace
                                                        + "\""));
        return new CollectionHandle(metastore, objects, providers, head);
    }

    /** Opens a collection by id, or COLLECTION_NOT_FOUND. */
    public CollectionHandle open(long collectionId) throws IOException {
        return new CollectionHandle(metastore, objects, providers, metastore.head(collectionId));
    }

    public Metastore metastore() {
        return metastore;
    }

    public ObjectStore objects() {
        return objects;
    }

    @Override
    public void close() throws IOException {
        try (objects) {
            metastore.close();
        }
    }
}
