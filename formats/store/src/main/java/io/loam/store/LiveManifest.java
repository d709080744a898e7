package io.loam.store;

import io.loam.codec.manifest.CollectionManifest;

/**
 * The manifest a collection's pointer names.
 *
 * @param version of the pointer and of the manifest; 0 before the first commit
 * @param path of the manifest's object; empty before the first commit
 */
public record LiveManifest(long version, String path, CollectionManifest manifest) {}
