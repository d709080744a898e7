package io.loam.flink.connector.table;

import io.loam.codec.record.SparseVector;
import io.loam.codec.record.SparseVectorException;
import io.loam.codec.record.SparseVectors;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Vectors as values of SQL types, in Flink's internal form. */
final class VectorTypes {
    private static final List<String> SPARSE_FIELDS = List.of("indices", "values");

    private VectorTypes() {}

    static boolean isDense(LogicalType type) {
        return type instanceof ArrayType array && isReal(array.getElementType());
    }

    /** MAP of whole numbers to reals, or ROW of indices and values. */
    static boolean isSparse(LogicalType type) {
        if (type instanceof MapType map) {
            return isIndex(map.getKeyType()) && isReal(map.getValueType());
        }
        return type instanceof RowType row
                && row.getFieldNames().equals(SPARSE_FIELDS)
                && row.getTypeAt(0) instanceof ArrayType indices
                && isIndex(indices.getElementType())
                && isDense(row.getTypeAt(1));
    }

    private static boolean isReal(LogicalType type) {
        return type.is(LogicalTypeRoot.FLOAT) || type.is(LogicalTypeRoot.DOUBLE);
    }

    private static boolean isIndex(LogicalType type) {
        return type.is(LogicalTypeRoot.INTEGER) || type.is(LogicalTypeRoot.BIGINT);
    }

    /** The components of a dense vector. */
    static float[] dense(ArrayData array, LogicalType type) {
        LogicalType element = ((ArrayType) type).getElementType();
        float[] vector = new float[array.size()];
        for (int i = 0; i < vector.length; i++) {
            requireNotNull(array, i, "a component of the vector");
            vector[i] =
                    element.is(LogicalTypeRoot.FLOAT)
                            ? array.getFloat(i)
                            : (float) array.getDouble(i);
        }
        return vector;
    }

    static ArrayData dense(float[] vector, LogicalType type) {
        return reals(vector, ((ArrayType) type).getElementType());
    }

    private static ArrayData reals(float[] values, LogicalType element) {
        if (element.is(LogicalTypeRoot.FLOAT)) {
            return new GenericArrayData(values);
        }
        double[] doubles = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            doubles[i] = values[i];
        }
        return new GenericArrayData(doubles);
    }

    /** A sparse vector in canonical form. */
    static SparseVector sparse(Object value, LogicalType type) {
        ArrayData indices;
        ArrayData weights;
        LogicalType index;
        ArrayType weightsType;
        if (type instanceof MapType map) {
            indices = ((MapData) value).keyArray();
            weights = ((MapData) value).valueArray();
            index = map.getKeyType();
            weightsType = new ArrayType(map.getValueType());
        } else {
            RowData row = (RowData) value;
            if (row.isNullAt(0) || row.isNullAt(1)) {
                throw new ValueException("a sparse vector needs both indices and values");
            }
            indices = row.getArray(0);
            weights = row.getArray(1);
            index = ((ArrayType) ((RowType) type).getTypeAt(0)).getElementType();
            weightsType = (ArrayType) ((RowType) type).getTypeAt(1);
        }
        try {
            return SparseVectors.canonical(indices(indices, index), dense(weights, weightsType));
        } catch (SparseVectorException e) {
            throw new ValueException(e.getMessage(), e);
        }
    }

    private static int[] indices(ArrayData array, LogicalType type) {
        int[] indices = new int[array.size()];
        for (int i = 0; i < indices.length; i++) {
            requireNotNull(array, i, "an index of the sparse vector");
            long index = type.is(LogicalTypeRoot.INTEGER) ? array.getInt(i) : array.getLong(i);
            if (index < 0 || index > 0xffffffffL) {
                throw new ValueException(
                        "the index " + index + " of the sparse vector is not in 0..4294967295");
            }
            indices[i] = (int) index;
        }
        return indices;
    }

    private static void requireNotNull(ArrayData array, int position, String what) {
        if (array.isNullAt(position)) {
            throw new ValueException(what + " is null, at position " + position);
        }
    }

    static Object sparse(SparseVector vector, LogicalType type) {
        int[] indices = vector.indices();
        if (type instanceof MapType map) {
            Map<Object, Object> weights = new LinkedHashMap<>();
            for (int i = 0; i < indices.length; i++) {
                float weight = vector.values()[i];
                weights.put(
                        index(indices[i], map.getKeyType()),
                        map.getValueType().is(LogicalTypeRoot.FLOAT)
                                ? (Object) weight
                                : (Object) (double) weight);
            }
            return new GenericMapData(weights);
        }
        RowType row = (RowType) type;
        LogicalType index = ((ArrayType) row.getTypeAt(0)).getElementType();
        Object[] boxed = new Object[indices.length];
        for (int i = 0; i < indices.length; i++) {
            boxed[i] = index(indices[i], index);
        }
        return GenericRowData.of(
                new GenericArrayData(boxed),
                reals(vector.values(), ((ArrayType) row.getTypeAt(1)).getElementType()));
    }

    private static Object index(int index, LogicalType type) {
        long unsigned = Integer.toUnsignedLong(index);
        if (type.is(LogicalTypeRoot.BIGINT)) {
            return unsigned;
        }
        if (unsigned > Integer.MAX_VALUE) {
            throw new ValueException(
                    "the index " + unsigned + " of the sparse vector is no INT; declare BIGINT");
        }
        return index;
    }
}
