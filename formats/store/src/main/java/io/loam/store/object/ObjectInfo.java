package io.loam.store.object;

/** An object of a listing: full path, size in bytes, last-modified in ms since the epoch. */
public record ObjectInfo(String path, long size, long lastModifiedMs) {}
