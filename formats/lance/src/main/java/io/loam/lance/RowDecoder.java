package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.key.InvalidKeyException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads rows out of Arrow batches. A column that is not there reads as absent everywhere. */
final class RowDecoder {
    private final CollectionSchema schema;
    private final Projection projection;

    RowDecoder(CollectionSchema schema, Projection projection) {
        this.schema = schema;
        this.projection = projection;
    }

    /** The columns to ask Lance for. */
    List<String> columns(Set<String> present) {
        List<String> columns = new ArrayList<>();
        columns.add(LanceSchemas.PK);
        if (projection.source()) {
            columns.add(LanceSchemas.SOURCE);
        }
        if (projection.sequence()) {
            columns.add(LanceSchemas.PARTITION);
            columns.add(LanceSchemas.OFFSET);
        }
        if (projection.vectors()) {
            VectorColumns.of(schema).stream()
                    .map(column -> column.column())
                    .filter(present::contains)
                    .forEach(columns::add);
        }
        return columns;
    }

    StoredRow row(VectorSchemaRoot root, int index, long rowId) {
        PrimaryKey key = key(root, index);
        return new StoredRow(
                rowId,
                key,
                projection.source() ? bytes(root, LanceSchemas.SOURCE, index) : null,
                projection.sequence()
                        ? ((UInt4Vector) root.getVector(LanceSchemas.PARTITION)).get(index)
                        : 0,
                projection.sequence()
                        ? ((UInt8Vector) root.getVector(LanceSchemas.OFFSET)).get(index)
                        : 0,
                projection.vectors() ? vectors(root, index) : null,
                projection.vectors() ? sparseVectors(root, index) : null);
    }

    static PrimaryKey key(VectorSchemaRoot root, int index) {
        try {
            return PrimaryKey.parseCanonical(bytes(root, LanceSchemas.PK, index));
        } catch (InvalidKeyException e) {
            throw new CorruptException("a row's _pk is no key: " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(VectorSchemaRoot root, String column, int index) {
        return ((VarBinaryVector) root.getVector(column)).get(index);
    }

    private Map<String, float[]> vectors(VectorSchemaRoot root, int index) {
        Map<String, float[]> vectors = new LinkedHashMap<>();
        for (int i = 0; i < schema.vectors().size(); i++) {
            FieldVector column = root.getVector(VectorColumns.dense(i));
            if (column != null && !column.isNull(index)) {
                vectors.put(
                        schema.vectors().get(i).name(),
                        dense((FixedSizeListVector) column, index, VectorColumns.dense(i)));
            }
        }
        return vectors;
    }

    static float[] dense(FixedSizeListVector column, int index, String name) {
        Float4Vector data = (Float4Vector) column.getDataVector();
        int dim = column.getListSize();
        requireNoNulls(data, index * dim, dim, name);
        float[] values = new float[dim];
        data.getDataBuffer()
                .nioBuffer((long) index * dim * Float.BYTES, dim * Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    private static void requireNoNulls(FieldVector data, int from, int count, String name) {
        if (data.getNullCount() == 0) {
            return;
        }
        for (int i = from; i < from + count; i++) {
            if (data.isNull(i)) {
                throw new CorruptException(name + ": a null element inside a vector");
            }
        }
    }

    private Map<String, SparseVector> sparseVectors(VectorSchemaRoot root, int index) {
        Map<String, SparseVector> vectors = new LinkedHashMap<>();
        for (int j = 0; j < schema.sparseVectors().size(); j++) {
            FieldVector column = root.getVector(VectorColumns.sparse(j));
            if (column != null && !column.isNull(index)) {
                vectors.put(
                        schema.sparseVectors().get(j).name(),
                        sparse((StructVector) column, index, VectorColumns.sparse(j)));
            }
        }
        return vectors;
    }

    private static SparseVector sparse(StructVector column, int index, String name) {
        ListVector indices = (ListVector) column.getChild("indices");
        ListVector values = (ListVector) column.getChild("values");
        int from = indices.getElementStartIndex(index);
        int count = indices.getElementEndIndex(index) - from;
        int valuesFrom = values.getElementStartIndex(index);
        if (values.getElementEndIndex(index) - valuesFrom != count) {
            throw new CorruptException(name + ": indices and values differ in length");
        }
        requireNoNulls(indices.getDataVector(), from, count, name);
        requireNoNulls(values.getDataVector(), valuesFrom, count, name);
        int[] ints = new int[count];
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            ints[i] = ((UInt4Vector) indices.getDataVector()).get(from + i);
            floats[i] = ((Float4Vector) values.getDataVector()).get(valuesFrom + i);
        }
        return new SparseVector(ints, floats);
    }
}
