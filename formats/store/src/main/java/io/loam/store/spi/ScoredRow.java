package io.loam.store.spi;

/**
 * A hit of a vector search. Smaller distances are nearer: cosine distance, negated dot product,
 * Euclidean distance (squared, as Lance gives it) or Manhattan distance.
 */
public record ScoredRow(StoredRow row, float distance) {}
