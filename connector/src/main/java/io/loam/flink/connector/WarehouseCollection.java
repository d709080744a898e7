package io.loam.flink.connector;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/** A collection of a warehouse, by id, so that a dropped and recreated one is another. */
@Internal
public record WarehouseCollection(WarehouseOptions warehouse, long collectionId)
        implements CollectionOpener {
    private static final long serialVersionUID = 1L;

    /** What is known of a collection when a graph is built. */
    public record Found(WarehouseCollection opener, CollectionInfo info, CollectionManifest live) {}

    /** Finds a collection by name. */
    public static Found find(WarehouseOptions options, String namespace, String name)
            throws IOException {
        try (Warehouse warehouse = Warehouse.open(options);
                CollectionHandle collection = warehouse.open(namespace, name)) {
            CollectionInfo info = collection.info();
            return new Found(
                    new WarehouseCollection(options, info.id()),
                    info,
                    collection.liveWhenOpened().manifest());
        }
    }

    @Override
    public OpenedCollection open() throws IOException {
        Warehouse opened = Warehouse.open(warehouse);
        try {
            return new OpenedCollection(opened, opened.open(collectionId));
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }
}
