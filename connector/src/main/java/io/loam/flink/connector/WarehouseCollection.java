package io.loam.flink.connector;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.schema.CollectionSchema;
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

    /** An id that no namespace and no collection has. */
    private static final long UNMADE = 0;

    /** What is known of a collection when a graph is built. */
    public record Found(WarehouseCollection opener, CollectionInfo info, CollectionManifest live) {}

    /** Finds a collection by name. */
    public static Found find(WarehouseOptions options, String namespace, String name)
            throws IOException {
        try (Warehouse warehouse = Warehouse.open(options)) {
            return find(options, warehouse, namespace, name);
        }
    }

    /** Finds a collection by name, in the warehouse that the options tell of. */
    public static Found find(
            WarehouseOptions options, Warehouse warehouse, String namespace, String name)
            throws IOException {
        try (CollectionHandle collection = warehouse.open(namespace, name)) {
            CollectionInfo info = collection.info();
            return new Found(
                    new WarehouseCollection(options, info.id()),
                    info,
                    collection.liveWhenOpened().manifest());
        }
    }

    /**
     * Makes a collection that has no name yet.
     *
     * @param name the one it will get, which the graph shows already
     */
    public static Found stage(
            WarehouseOptions options,
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions)
            throws IOException {
        try (Warehouse warehouse = Warehouse.open(options)) {
            CollectionInfo staged =
                    warehouse.metastore().stageCollection(namespace, schema, partitions);
            return new Found(
                    new WarehouseCollection(options, staged.id()),
                    new CollectionInfo(
                            staged.namespaceId(),
                            namespace,
                            staged.id(),
                            name,
                            staged.topic(),
                            partitions,
                            schema,
                            staged.createdAtMs()),
                    CollectionManifest.empty(staged.id()));
        }
    }

    /** A collection that is not made: a graph can be built for it, which cannot run. */
    public static Found unmade(
            WarehouseOptions options,
            String namespace,
            String name,
            CollectionSchema schema,
            int partitions) {
        return new Found(
                new WarehouseCollection(options, UNMADE),
                new CollectionInfo(UNMADE, namespace, UNMADE, name, "", partitions, schema, 0),
                CollectionManifest.empty(UNMADE));
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
