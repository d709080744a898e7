package io.loam.store.metastore;

import io.loam.codec.schema.CollectionSchema;

/**
 * A collection as the metastore knows it.
 *
 * @param topic Kafka topic of its implicit stream
 * @param partitions 1..10 000, fixed at creation
 */
public record CollectionInfo(
        long namespaceId,
        String namespace,
        long id,
        String name,
        String topic,
        int partitions,
        CollectionSchema schema,
        long createdAtMs) {}
