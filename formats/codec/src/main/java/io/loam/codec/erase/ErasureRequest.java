package io.loam.codec.erase;

import io.loam.codec.Ulid;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What is to be erased. The record outlives the keys it is about, so it holds their hashes only.
 *
 * @param createdAtMs metastore clock
 * @param deadlineMs until when it is to be done
 * @param requester who asked, for people
 * @param tagged what becomes of tagged versions that are older
 * @param check of the secret that the hashes were made with: {@link #HASH_BYTES} bytes
 * @param hashes HMAC-SHA-256 of canonical keys, ascending as unsigned bytes, each once
 * @param offsets by partition: the offset after the last record that may hold a key; empty for a
 *     collection without a stream
 */
public record ErasureRequest(
        Ulid id,
        long namespaceId,
        long collectionId,
        long createdAtMs,
        long deadlineMs,
        String requester,
        Tagged tagged,
        byte[] check,
        List<byte[]> hashes,
        Map<Integer, Long> offsets) {
    public static final int HASH_BYTES = 32;

    /** What becomes of older versions that have a tag. */
    public enum Tagged {
        /** The tag names a copy without the documents. */
        REWRITE,
        /** The tag goes. */
        DROP
    }

    public ErasureRequest {
        hashes = List.copyOf(hashes);
        offsets = Map.copyOf(offsets);
        requireLength(check);
        for (int i = 0; i < hashes.size(); i++) {
            requireLength(hashes.get(i));
            if (i > 0 && Arrays.compareUnsigned(hashes.get(i - 1), hashes.get(i)) >= 0) {
                throw new IllegalArgumentException("hashes of keys must ascend");
            }
        }
    }

    private static void requireLength(byte[] hash) {
        if (hash.length != HASH_BYTES) {
            throw new IllegalArgumentException(
                    "a hash has " + HASH_BYTES + " bytes, not " + hash.length);
        }
    }
}
