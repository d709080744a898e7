package io.loam.store;

import io.loam.store.metastore.CollectionHead;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.RetryingMetastore;
import io.loam.store.object.ObjectStore;
import io.loam.store.object.RetryingObjectStore;
import io.loam.store.retry.Retry;
import io.loam.store.spi.HotEngine;
import io.loam.store.spi.RowStoreProvider;
import io.loam.store.spi.SplitStoreProvider;

import javax.annotation.Nullable;

import java.io.IOException;
import java.util.function.LongFunction;

/**
 * A metastore and the object store its pointers point into. One that was opened by its options
 * tries failed operations again, see {@link RetryingObjectStore} and {@link RetryingMetastore}. May
 * be used from any thread.
 */
public final class Warehouse implements AutoCloseable {
    private final Metastore metastore;
    private final ObjectStore objects;
    private final StoreProviders providers;
    private final LongFunction<UlidFactory> ulids;

    private Warehouse(
            Metastore metastore,
            ObjectStore objects,
            StoreProviders providers,
            LongFunction<UlidFactory> ulids) {
        this.metastore = metastore;
        this.objects = objects;
        this.providers = providers;
        this.ulids = ulids;
    }

    /** A warehouse of given parts, used as they are; closing it closes metastore and objects. */
    public static Warehouse of(
            Metastore metastore,
            ObjectStore objects,
            RowStoreProvider rows,
            SplitStoreProvider splits) {
        return of(metastore, objects, rows, splits, UlidFactory::new);
    }

    /**
     * The same with ULIDs made in another way.
     *
     * @param ulids makes a factory from a reading of the metastore's clock; one for each handle
     */
    public static Warehouse of(
            Metastore metastore,
            ObjectStore objects,
            RowStoreProvider rows,
            SplitStoreProvider splits,
            LongFunction<UlidFactory> ulids) {
        return of(metastore, objects, rows, splits, null, ulids);
    }

    /** The same with hot graphs, unless the engine is null. */
    public static Warehouse of(
            Metastore metastore,
            ObjectStore objects,
            RowStoreProvider rows,
            SplitStoreProvider splits,
            @Nullable HotEngine hot,
            LongFunction<UlidFactory> ulids) {
        return new Warehouse(metastore, objects, StoreProviders.of(rows, splits, hot), ulids);
    }

    private static Warehouse retrying(
            Metastore metastore, ObjectStore objects, StoreProviders providers, Retry retry) {
        return new Warehouse(
                new RetryingMetastore(metastore, retry),
                RetryingObjectStore.over(objects, retry),
                providers,
                UlidFactory::new);
    }

    /**
     * Opens a warehouse that exists. Whether it does is looked up for a local directory only.
     *
     * @throws IOException if there is none, naming the directory
     */
    public static Warehouse open(WarehouseOptions options) throws IOException {
        options.effectiveMetastoreUrl();
        return connect(options, ObjectStores.open(options, classLoader()));
    }

    /**
     * Opens a warehouse, making it if it does not exist yet.
     *
     * @throws IOException if objects cannot be written there
     */
    public static Warehouse openOrCreate(WarehouseOptions options) throws IOException {
        options.effectiveMetastoreUrl();
        return connect(options, ObjectStores.openWritable(options, classLoader()));
    }

    private static Warehouse connect(WarehouseOptions options, ObjectStore objects)
            throws IOException {
        StoreProviders providers = StoreProviders.from(classLoader());
        try {
            Metastore metastore =
                    JdbcMetastore.open(
                            options.effectiveMetastoreUrl(),
                            options.metastoreUser(),
                            options.metastorePassword());
            return retrying(metastore, objects, providers, Retry.of(options.retry()));
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
        return handle(head);
    }

    /** Opens a collection by id, or COLLECTION_NOT_FOUND. */
    public CollectionHandle open(long collectionId) throws IOException {
        return handle(metastore.head(collectionId));
    }

    private CollectionHandle handle(CollectionHead head) {
        return new CollectionHandle(
                metastore, objects, providers, ulids.apply(head.clockMs()), head);
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
