package io.loam.codec.lance;

/** Where a row is: fragment id and offset among the fragment's physical rows. */
public record RowAddress(long fragmentId, long offset) {}
