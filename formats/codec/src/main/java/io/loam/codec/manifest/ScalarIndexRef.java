package io.loam.codec.manifest;

/** A Lance scalar index that readers may use. */
public record ScalarIndexRef(
        String column, String uuid, long indexedRowIdsUpto, String indexName) {}
