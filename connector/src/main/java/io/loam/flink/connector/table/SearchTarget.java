package io.loam.flink.connector.table;

import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.WarehouseOptions;

import org.apache.flink.table.api.ValidationException;

import java.io.IOException;
import java.io.Serializable;

/**
 * Where the collections are that a function searches.
 *
 * @param namespace of those whose names are given without one
 */
record SearchTarget(WarehouseOptions warehouse, String namespace, LookupSettings settings)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * Finds a collection.
     *
     * @param name of the collection, in the namespace of the target
     * @throws ValidationException if it is not there
     */
    WarehouseCollection.Found find(String name) {
        try {
            return WarehouseCollection.find(warehouse, namespace, name);
        } catch (IOException e) {
            throw new ValidationException(
                    "cannot search the collection \""
                            + name
                            + "\" of namespace \""
                            + namespace
                            + "\": "
                            + e.getMessage(),
                    e);
        }
    }

    SharedReader reader(WarehouseCollection opener) {
        return new SharedReader(opener, null, settings, System::nanoTime);
    }
}
