package io.loam.codec.schema;

import io.loam.codec.staged.UnitColumn;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Names of vector columns in Lance: the i-th dense vector is {@code _vector_<i>}, the j-th sparse
 * one {@code _sparse_<j>}.
 */
public final class VectorColumns {
    private VectorColumns() {}

    /** Dense columns, then sparse ones, in schema order. */
    public static List<UnitColumn> of(CollectionSchema schema) {
        List<UnitColumn> columns = new ArrayList<>();
        for (int i = 0; i < schema.vectors().size(); i++) {
            columns.add(new UnitColumn(dense(i), schema.vectors().get(i).dim()));
        }
        for (int j = 0; j < schema.sparseVectors().size(); j++) {
            columns.add(new UnitColumn(sparse(j), 0));
        }
        return columns;
    }

    public static String dense(int position) {
        return "_vector_" + position;
    }

    public static String sparse(int position) {
        return "_sparse_" + position;
    }

    /** Position of a dense vector of that name. */
    public static OptionalInt densePosition(CollectionSchema schema, String name) {
        for (int i = 0; i < schema.vectors().size(); i++) {
            if (schema.vectors().get(i).name().equals(name)) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }
}
