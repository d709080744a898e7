package io.loam.store.metastore;

import io.loam.codec.CorruptException;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.SchemaEvolution;
import io.loam.codec.schema.SchemaException;
import io.loam.codec.schema.SchemaJson;
import io.loam.codec.schema.SchemaValidator;
import io.loam.store.metastore.MetastoreException.Code;

import java.nio.charset.StandardCharsets;

/** Schemas as the metastore stores them, and the rules' refusals in its own terms. */
final class StoredSchemas {
    private StoredSchemas() {}

    static String print(CollectionSchema schema) {
        return new String(SchemaJson.print(schema), StandardCharsets.UTF_8);
    }

    static CollectionSchema parse(long collectionId, String json) {
        try {
            return SchemaJson.parse(json.getBytes(StandardCharsets.UTF_8));
        } catch (SchemaException e) {
            throw new CorruptException(
                    "the metastore's schema of collection " + collectionId + ": " + e.getMessage(),
                    e);
        }
    }

    static void requireCreatable(String name, int partitions, CollectionSchema schema)
            throws MetastoreException {
        try {
            SchemaValidator.validateCreation(name, partitions, schema);
        } catch (SchemaException e) {
            throw new MetastoreException(Code.INVALID_ARGUMENT, e.getMessage(), e);
        }
    }

    static void requireName(String name) throws MetastoreException {
        try {
            SchemaValidator.validateName(name);
        } catch (SchemaException e) {
            throw new MetastoreException(Code.INVALID_ARGUMENT, e.getMessage(), e);
        }
    }

    static void requireEvolution(CollectionSchema current, CollectionSchema next)
            throws MetastoreException {
        try {
            SchemaEvolution.check(current, next);
        } catch (SchemaException e) {
            throw new MetastoreException(Code.INCOMPATIBLE_SCHEMA, e.getMessage(), e);
        }
    }
}
