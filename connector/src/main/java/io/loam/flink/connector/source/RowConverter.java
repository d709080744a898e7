package io.loam.flink.connector.source;

import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.types.RowKind;

import java.io.Serializable;

/** Makes what a {@link CollectionSource} emits of the rows of a collection. */
@PublicEvolving
public interface RowConverter<T> extends Serializable, ResultTypeQueryable<T> {

    /** What must be read of a row; the rest is null in it. */
    Projection projection();

    /**
     * Converts a row.
     *
     * @param kind an insertion, if rows are read; what happened to the row, if changes are
     * @param version the version that is read, or that made the change
     */
    T convert(RowKind kind, StoredRow row, long version);

    /** Converts the number of rows, of a source that counts. */
    default T count(long rows) {
        throw new UnsupportedOperationException(this + " does not count");
    }
}
