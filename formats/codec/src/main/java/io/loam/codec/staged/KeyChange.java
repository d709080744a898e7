package io.loam.codec.staged;

import io.loam.codec.key.PrimaryKey;

import javax.annotation.Nullable;

/** A key whose row changed: the row it had before and the one it has now, either may be absent. */
public record KeyChange(PrimaryKey key, @Nullable Long oldRow, @Nullable Long newRow) {}
