package io.loam.store.spi;

import io.loam.codec.key.PrimaryKey;

/** Where a split must have a row. */
public record KnownDocument(int doc, long rowId, PrimaryKey key) {}
