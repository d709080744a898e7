package io.loam.store.spi;

import io.loam.codec.record.Document;

/**
 * A row to write.
 *
 * @param source the document's source as printed JSON
 * @param ingestPartition partition of the last writing record
 * @param ingestOffset its offset, unsigned
 */
public record Row(Document document, byte[] source, int ingestPartition, long ingestOffset) {}
