package io.loam.store.metastore;

/** What a pointer key holds: its version, and for a collection the path of that manifest. */
public record Pointer(long version, String value) {}
