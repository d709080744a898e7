package io.loam.store.metastore;

/**
 * A path whose objects are no longer wanted; one that ends in a slash stands for all below it.
 *
 * @param retiredAtMs metastore clock
 */
public record RetiredPath(String path, long retiredAtMs) {}
