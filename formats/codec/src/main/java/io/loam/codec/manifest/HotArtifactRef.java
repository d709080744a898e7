package io.loam.codec.manifest;

/** A ready-made in-memory graph of one vector column; {@code prefix} ends with a slash. */
public record HotArtifactRef(String kind, String column, String prefix, long sourceVersion) {}
