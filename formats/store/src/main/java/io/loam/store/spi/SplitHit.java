package io.loam.store.spi;

/** A hit in one split: document id and score (BM25 for ranked queries, 1 otherwise). */
public record SplitHit(int doc, float score) {}
