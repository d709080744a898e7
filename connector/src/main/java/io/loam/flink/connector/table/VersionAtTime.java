package io.loam.flink.connector.table;

import org.apache.flink.table.catalog.CatalogTable;

import java.util.HashMap;
import java.util.Map;

/** A table as it was at a moment. */
final class VersionAtTime {
    private VersionAtTime() {}

    /** The table as it reads a version, and nothing that follows it. */
    static CatalogTable pinned(CatalogTable table, long version, long timestampMs) {
        Map<String, String> options = new HashMap<>(table.getOptions());
        options.remove(LoamConnectorOptions.SCAN_MODE.key());
        options.remove(LoamConnectorOptions.SCAN_TIMESTAMP_MILLIS.key());
        options.remove(LoamConnectorOptions.SCAN_TAG.key());
        options.put(LoamConnectorOptions.SCAN_VERSION.key(), Long.toString(version));
        return CatalogTable.newBuilder()
                .schema(table.getUnresolvedSchema())
                .comment(table.getComment())
                .options(options)
                .snapshot(timestampMs)
                .build();
    }
}
