package io.loam.flink.operators;

import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/** A collection and the warehouse it was opened in; closed together. */
@Internal
public record OpenedCollection(Warehouse warehouse, CollectionHandle collection)
        implements AutoCloseable {
    @Override
    public void close() throws IOException {
        try (warehouse) {
            collection.close();
        }
    }
}
