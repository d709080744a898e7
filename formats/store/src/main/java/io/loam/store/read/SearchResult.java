package io.loam.store.read;

import io.loam.codec.Ulid;
import io.loam.store.spi.StoredRow;

/** A hit of a text search: the row, its score and the split that holds its document. */
public record SearchResult(StoredRow row, float score, Ulid split) {}
