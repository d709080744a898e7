package io.loam.store.metastore;

import io.loam.codec.schema.CollectionSchema;

/** Schemas as the metastore stores and checks them. */
final class StoredSchemas {
    private StoredSchemas() {}

    static String print(CollectionSchema schema) {
        throw new UnsupportedOperationException("schema slice");
    }

    static CollectionSchema parse(String json) {
        throw new UnsupportedOperationException("schema slice");
    }

    static void requireCreatable(String name, int partitions, CollectionSchema schema)
            throws MetastoreException {
        throw new UnsupportedOperationException("schema slice");
    }

    static void requireEvolution(CollectionSchema current, CollectionSchema next)
            throws MetastoreException {
        throw new UnsupportedOperationException("schema slice");
    }
}
