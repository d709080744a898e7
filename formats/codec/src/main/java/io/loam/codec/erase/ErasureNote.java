package io.loam.codec.erase;

import io.loam.codec.Ulid;

/**
 * How far an erasure came.
 *
 * @param atMs metastore clock
 * @param version of the collection that releases everything before it
 * @param objects that were looked through at the end; 0 in a note of a release
 * @param bytes of these
 */
public record ErasureNote(Ulid id, long atMs, long version, long objects, long bytes) {}
