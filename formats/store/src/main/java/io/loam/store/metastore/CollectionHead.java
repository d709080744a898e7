package io.loam.store.metastore;

import javax.annotation.Nullable;

/**
 * A collection, its pointer and the metastore's clock, read from one state.
 *
 * @param pointer null before the first commit
 */
public record CollectionHead(CollectionInfo collection, @Nullable Pointer pointer, long clockMs) {}
