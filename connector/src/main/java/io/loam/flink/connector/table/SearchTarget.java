package io.loam.flink.connector.table;

import io.loam.codec.schema.CollectionSchema;
import io.loam.flink.connector.WarehouseCollection;
import io.loam.store.WarehouseOptions;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.inference.CallContext;

import javax.annotation.Nullable;

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

    /** The collections of a namespace, searched as tables are that say nothing else. */
    static SearchTarget of(WarehouseOptions warehouse, String namespace) {
        return new SearchTarget(warehouse, namespace, LookupSettings.ofSearch(new Configuration()));
    }

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
            throw failed(name, e);
        }
    }

    private ValidationException failed(String name, IOException e) {
        return new ValidationException(
                "cannot search the collection \""
                        + name
                        + "\" of namespace \""
                        + namespace
                        + "\": "
                        + e.getMessage(),
                e);
    }

    /** The hits of the collection that a call names. */
    HitTable hits(CallContext call) {
        String name = SearchArguments.name(call);
        return HitTable.of(name, find(name).info().schema(), call.getDataTypeFactory());
    }

    /**
     * The collection that a call names, at the version it names, or else its table does.
     *
     * @throws ValidationException if it is not there, or the version is not retained
     */
    Searched searched(CallContext call, SearchOptions options) {
        String name = SearchArguments.name(call);
        WarehouseCollection.Found found = find(name);
        ReadVersion version =
                options.version().isNewest()
                        ? ReadVersion.ofTable(LoamCatalog.table(found.info().schema()).getOptions())
                        : options.version();
        try {
            return new Searched(
                    found.opener(), version.resolve(found.opener()), found.info().schema());
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    /**
     * What a function searches.
     *
     * @param version null for the newest
     */
    record Searched(WarehouseCollection opener, @Nullable Long version, CollectionSchema schema) {
        /** The hits of the collection, which a call names. */
        HitTable hits(CallContext call) {
            return HitTable.of(SearchArguments.name(call), schema, call.getDataTypeFactory());
        }
    }

    SharedReader reader(WarehouseCollection opener, @Nullable Long version) {
        return new SharedReader(opener, version, settings, System::nanoTime);
    }
}
