package io.loam.store.spi;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.SparseVector;

import javax.annotation.Nullable;

import java.util.Map;

/**
 * A row as read. What the projection left out is null.
 *
 * @param source printed JSON
 */
public record StoredRow(
        long rowId,
        PrimaryKey key,
        @Nullable byte[] source,
        int ingestPartition,
        long ingestOffset,
        @Nullable Map<String, float[]> vectors,
        @Nullable Map<String, SparseVector> sparseVectors) {}
