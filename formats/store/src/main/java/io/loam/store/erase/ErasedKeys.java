package io.loam.store.erase;

import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.key.PrimaryKey;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tells the keys of an erasure: by themselves where they are known, by their hashes otherwise. Not
 * for several threads.
 */
public final class ErasedKeys {
    private final ErasureSecret secret;
    private final Set<ByteBuffer> hashes = new HashSet<>();
    private final Set<PrimaryKey> known = new TreeSet<>();
    private final boolean allKnown;

    private ErasedKeys(ErasureSecret secret, List<byte[]> hashes, Collection<PrimaryKey> known) {
        this.secret = secret;
        hashes.forEach(hash -> this.hashes.add(ByteBuffer.wrap(hash)));
        this.known.addAll(known);
        this.allKnown = this.known.size() == hashes.size();
    }

    /**
     * @param known keys that somebody gave, none or all
     * @throws IllegalArgumentException if the secret is another one, or a key is not in the request
     */
    public static ErasedKeys of(
            ErasureRequest request, ErasureSecret secret, Collection<PrimaryKey> known) {
        secret.requireOf(request);
        ErasedKeys keys = new ErasedKeys(secret, request.hashes(), known);
        for (PrimaryKey key : known) {
            if (!keys.hashed(key.canonical())) {
                throw new IllegalArgumentException(
                        "erasure " + request.id() + " is not about one of the keys that are given");
            }
        }
        return keys;
    }

    /** Whether a canonical key is one of them. */
    public boolean holds(byte[] canonical) {
        if (!allKnown) {
            return hashed(canonical);
        }
        try {
            return known.contains(PrimaryKey.parseCanonical(canonical));
        } catch (io.loam.codec.key.InvalidKeyException e) {
            return false;
        }
    }

    private boolean hashed(byte[] canonical) {
        return hashes.contains(ByteBuffer.wrap(secret.hash(canonical)));
    }

    /** The keys, if all of them are known; otherwise some of them, or none. */
    public Set<PrimaryKey> known() {
        return known;
    }

    public boolean allKnown() {
        return allKnown;
    }

    public int count() {
        return hashes.size();
    }
}
