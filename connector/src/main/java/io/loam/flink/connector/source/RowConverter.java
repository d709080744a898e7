package io.loam.flink.connector.source;

import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;

import java.io.Serializable;

/** Makes what a {@link CollectionSource} emits of the rows of a collection. */
@PublicEvolving
public interface RowConverter<T> extends Serializable, ResultTypeQueryable<T> {

    /** What must be read of a row; the rest is null in it. */
    Projection projection();

    /**
     * Converts a row.
     *
     * @param version the collection's version that is read
     */
    T convert(StoredRow row, long version);
}
