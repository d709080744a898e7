package io.loam.jobs;

import io.loam.store.WarehouseOptions;

import javax.annotation.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/** Parameters of {@link ApplyCollectionJob} that say what is applied, without their dashes. */
public final class ApplyParameters {
    private ApplyParameters() {}

    public static Map<String, String> of(
            WarehouseOptions warehouse, String namespace, String collection, String brokers) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("warehouse", warehouse.warehouse());
        putIfGiven(parameters, "metastore", warehouse.metastoreUrl());
        putIfGiven(parameters, "metastore-user", warehouse.metastoreUser());
        putIfGiven(parameters, "metastore-password", warehouse.metastorePassword());
        parameters.putAll(warehouse.properties());
        parameters.put("namespace", namespace);
        parameters.put("collection", collection);
        parameters.put("bootstrap-servers", brokers);
        return parameters;
    }

    private static void putIfGiven(
            Map<String, String> parameters, String name, @Nullable String value) {
        if (value != null) {
            parameters.put(name, value);
        }
    }
}
