package io.loam.flink.connector.table;

import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestChain.Link;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The version of a collection that was the newest at a moment. */
final class VersionAtTime {
    private VersionAtTime() {}

    /**
     * The newest retained version that was committed at the moment or before it.
     *
     * @param table its name, for errors
     * @throws ValidationException if there is none
     */
    static long find(CollectionHandle collection, String table, long timestampMs)
            throws IOException {
        ManifestChain.Walk walk = ManifestChain.of(collection).walk();
        Link oldest = null;
        for (Link link = walk.next(); link != null; link = walk.next()) {
            if (link.manifest().createdAtMs() <= timestampMs) {
                return link.version();
            }
            oldest = link;
        }
        throw new ValidationException(
                "table "
                        + table
                        + " has no version of "
                        + Instant.ofEpochMilli(timestampMs)
                        + ": "
                        + (oldest == null
                                ? "nothing was committed yet"
                                : "the oldest retained is version "
                                        + oldest.version()
                                        + ", committed at "
                                        + Instant.ofEpochMilli(oldest.manifest().createdAtMs())));
    }

    /** The table as it reads that version. */
    static CatalogTable pinned(CatalogTable table, long version, long timestampMs) {
        Map<String, String> options = new HashMap<>(table.getOptions());
        options.put(LoamConnectorOptions.SCAN_VERSION.key(), Long.toString(version));
        return CatalogTable.newBuilder()
                .schema(table.getUnresolvedSchema())
                .comment(table.getComment())
                .options(options)
                .snapshot(timestampMs)
                .build();
    }
}
