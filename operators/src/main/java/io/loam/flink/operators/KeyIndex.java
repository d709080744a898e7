package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;

import javax.annotation.Nullable;

import java.io.IOException;

/** Which row a key has, uncommitted changes included. */
interface KeyIndex {
    /** The key's row id, or null. */
    @Nullable
    Long row(PrimaryKey key) throws IOException;

    /** Sets the key's row id; null for none. */
    void put(PrimaryKey key, @Nullable Long row) throws IOException;

    /** Everything that was asked for so far is resolved. */
    default void sealed() {}
}
