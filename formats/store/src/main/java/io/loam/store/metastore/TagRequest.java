package io.loam.store.metastore;

import javax.annotation.Nullable;

/** A tag to create; see {@link Tag} for what its parts mean. */
public record TagRequest(
        long collectionId,
        String name,
        long version,
        String path,
        String description,
        @Nullable Long expiresAtMs,
        boolean protect) {

    Tag createdAt(long clockMs) {
        return new Tag(
                collectionId, name, version, path, description, clockMs, expiresAtMs, protect);
    }
}
