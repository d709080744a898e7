package io.loam.store.metastore;

import javax.annotation.Nullable;

/**
 * A name for a version of a collection, which keeps that version from being collected. Never
 * changed once it is there.
 *
 * @param version of the manifest
 * @param path of the manifest's object
 * @param description for people; may be empty
 * @param createdAtMs metastore clock
 * @param expiresAtMs metastore clock; from then on the tag is as good as deleted; null for never
 * @param protect whether the collection cannot be dropped while the tag is there
 */
public record Tag(
        long collectionId,
        String name,
        long version,
        String path,
        String description,
        long createdAtMs,
        @Nullable Long expiresAtMs,
        boolean protect) {

    /** Whether it has expired by a reading of the metastore's clock. */
    public boolean isExpired(long clockMs) {
        return expiresAtMs != null && expiresAtMs <= clockMs;
    }
}
