package io.loam.flink.connector.source;

import org.apache.flink.annotation.PublicEvolving;

import javax.annotation.Nullable;

import java.io.Serializable;
import java.util.List;

/**
 * Which rows of a collection are wanted, by the fields of its schema. A source may bring others,
 * too, but never leaves a row out that has one of these values, or none that is indexed.
 */
@PublicEvolving
public sealed interface RowFilter extends Serializable {
    /** A field's value is this one: a Long, Double, Boolean or String as its kind has it. */
    record Equal(String field, Serializable value) implements RowFilter {}

    /** A field's value is between two, both included; null is open. A date is in milliseconds. */
    record Between(String field, @Nullable Number low, @Nullable Number high)
            implements RowFilter {}

    /** All of these hold. */
    record AllOf(List<RowFilter> filters) implements RowFilter {
        public AllOf {
            filters = List.copyOf(filters);
        }
    }

    /** One of these holds. */
    record AnyOf(List<RowFilter> filters) implements RowFilter {
        public AnyOf {
            filters = List.copyOf(filters);
        }
    }
}
