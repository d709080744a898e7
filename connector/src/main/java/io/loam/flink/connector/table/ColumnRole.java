package io.loam.flink.connector.table;

import java.io.Serializable;

/** How a collection keeps a column of a table. */
sealed interface ColumnRole extends Serializable {

    /**
     * A member of the document's source.
     *
     * @param uuid whether it is the text of a UUID, which as the key alone is a key of that kind
     */
    record Source(boolean uuid) implements ColumnRole {
        Source() {
            this(false);
        }
    }

    /** The document's key, of any kind, as text; no part of its source. */
    record Key() implements ColumnRole {}

    /** A dense vector of the column's name. */
    record Dense(int dimension) implements ColumnRole {}

    /** A sparse vector of the column's name, as a map or as a row of indices and values. */
    record Sparse() implements ColumnRole {}
}
