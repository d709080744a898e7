package io.loam.codec.fold;

import io.loam.codec.record.Operation;

/**
 * An operation and where the stream holds it. {@code offset} is unsigned.
 *
 * @param value the record's value as it was read, kept for dead letters
 */
public record LoggedOperation(int partition, long offset, Operation operation, byte[] value) {}
