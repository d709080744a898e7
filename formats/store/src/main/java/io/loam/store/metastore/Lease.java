package io.loam.store.metastore;

import javax.annotation.Nullable;

/**
 * A lease row. The epoch only rises; an owner of null means released.
 *
 * @param expiresAtMs metastore clock
 */
public record Lease(String key, @Nullable String owner, long epoch, long expiresAtMs) {}
