package io.loam.flink.operators;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;

import java.io.IOException;
import java.util.Map;

/** Reads the documents that patches begin with. */
@FunctionalInterface
interface CurrentRows {
    /**
     * The documents of these rows by key.
     *
     * @throws io.loam.codec.CorruptException if a row is not there, or belongs to another key
     */
    Map<PrimaryKey, Document> read(Map<PrimaryKey, Long> rows) throws IOException;
}
