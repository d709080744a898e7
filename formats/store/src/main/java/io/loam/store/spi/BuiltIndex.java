package io.loam.store.spi;

import io.loam.codec.lance.NewIndexSegment;

/**
 * Files of an index that no version names yet.
 *
 * @param rows that it holds
 * @param partitions 0 if it has none
 */
public record BuiltIndex(NewIndexSegment segment, long rows, int partitions) {}
