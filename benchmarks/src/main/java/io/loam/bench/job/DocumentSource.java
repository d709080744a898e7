package io.loam.bench.job;

import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;

import java.io.IOException;
import java.io.Serializable;

/** Documents by their numbers, the same for the same number. Every one has its number as "n". */
interface DocumentSource extends Serializable {
    /** Inserts a document, with its number as its key. */
    Operation insert(long number) throws IOException;

    /** What they are indexed by. */
    CollectionSchema indexedBy();
}
