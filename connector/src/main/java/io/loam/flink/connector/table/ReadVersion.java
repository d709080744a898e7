package io.loam.flink.connector.table;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.flink.operators.CollectionOpener;
import io.loam.flink.operators.OpenedCollection;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.tag.Tags;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_TAG;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_TIMESTAMP_MILLIS;
import static io.loam.flink.connector.table.LoamConnectorOptions.SCAN_VERSION;

/**
 * The one version that a statement reads of a collection.
 *
 * @param version null for the newest
 * @param timestampMs whose newest version it is; null for no time
 * @param tag that names it; null for none
 */
record ReadVersion(@Nullable Long version, @Nullable Long timestampMs, @Nullable String tag)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    static final ReadVersion NEWEST = new ReadVersion(null, null, null);

    /** The options that name a version. */
    private static final Set<String> OPTIONS =
            Set.of(SCAN_VERSION.key(), SCAN_TIMESTAMP_MILLIS.key(), SCAN_TAG.key());

    /**
     * What options say.
     *
     * @throws ValidationException if one names no version, or they do not go together
     */
    static ReadVersion of(Map<String, String> options) {
        for (String key : new TreeSet<>(options.keySet())) {
            if (!OPTIONS.contains(key)) {
                throw new ValidationException(
                        "unknown option '"
                                + key
                                + "'; a version is named by one of "
                                + new TreeSet<>(OPTIONS));
            }
        }
        return ofTable(options);
    }

    /**
     * What a table's options say of the version that lookups and searches see.
     *
     * @throws ValidationException if they do not go together
     */
    static ReadVersion ofTable(Map<String, String> options) {
        try {
            return ScanStart.of(Configuration.fromMap(options)).lookedUp();
        } catch (IllegalArgumentException e) {
            throw new ValidationException(e.getMessage(), e);
        }
    }

    boolean isNewest() {
        return version == null && timestampMs == null && tag == null;
    }

    /**
     * The number of the version, now that a statement is planned; null for the newest, which may be
     * another one later.
     *
     * @throws io.loam.store.chain.SnapshotExpiredException if it is not retained
     */
    @Nullable
    Long resolve(CollectionOpener opener) throws IOException {
        if (isNewest()) {
            return null;
        }
        try (OpenedCollection opened = opener.open()) {
            return of(opened.collection()).version();
        }
    }

    /**
     * The manifest of the version.
     *
     * @throws io.loam.store.chain.SnapshotExpiredException if it is not retained
     * @throws io.loam.store.metastore.MetastoreException if there is no such tag
     */
    CollectionManifest of(CollectionHandle collection) throws IOException {
        if (isNewest()) {
            return collection.live().manifest();
        }
        if (timestampMs != null) {
            return ManifestChain.of(collection).openAsOf(timestampMs);
        }
        Tags tags = new Tags(collection);
        return tag == null ? tags.openVersion(version) : tags.open(tag);
    }
}
