package io.loam.codec.key;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * Which partition of the implicit stream holds a key: XXH3-64 (seed 0, default secret) of the
 * canonical bytes, modulo the number of partitions, unsigned.
 */
public final class Partitioner {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();

    private Partitioner() {}

    /** The hash of canonical bytes. */
    public static long hash(byte[] canonical) {
        return XXH3.hashBytesToLong(canonical);
    }

    /** A partition in 0..partitions-1; 0 partitions count as 1. */
    public static int partitionOf(PrimaryKey key, int partitions) {
        return (int) Long.remainderUnsigned(hash(key.canonical()), Math.max(partitions, 1));
    }
}
