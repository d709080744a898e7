package io.loam.lance;

import io.loam.codec.record.Document;
import io.loam.codec.record.SparseVector;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.VectorColumns;
import io.loam.store.spi.Row;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Rows on their way into a data file, as Arrow vectors that are filled again and again. A batch is
 * bounded by rows and by bytes; a row that is larger than the bound is the last of its batch.
 */
final class RowBatch implements AutoCloseable {
    static final int MAX_ROWS = 2048;
    static final int MAX_BYTES = 32 << 20;

    private final CollectionSchema schema;
    private final VectorSchemaRoot root;
    private final VarBinaryVector keys;
    private final VarBinaryVector sources;
    private final UInt4Vector partitions;
    private final UInt8Vector offsets;
    private final FixedSizeListVector[] dense;
    private final StructVector[] sparse;
    private final ByteBuffer floats;
    private final int[] sparseCounts;
    private final int capacity;
    private int rows;
    private long bytes;

    RowBatch(CollectionSchema schema, BufferAllocator allocator) {
        this.schema = schema;
        root = VectorSchemaRoot.create(LanceSchemas.file(schema), allocator);
        keys = (VarBinaryVector) root.getVector(LanceSchemas.PK);
        sources = (VarBinaryVector) root.getVector(LanceSchemas.SOURCE);
        partitions = (UInt4Vector) root.getVector(LanceSchemas.PARTITION);
        offsets = (UInt8Vector) root.getVector(LanceSchemas.OFFSET);
        dense = new FixedSizeListVector[schema.vectors().size()];
        int widest = 0;
        long denseBytes = 0;
        for (int i = 0; i < dense.length; i++) {
            dense[i] = (FixedSizeListVector) root.getVector(VectorColumns.dense(i));
            widest = Math.max(widest, schema.vectors().get(i).dim());
            denseBytes += (long) schema.vectors().get(i).dim() * Float.BYTES;
        }
        capacity = capacity(denseBytes);
        sparse = new StructVector[schema.sparseVectors().size()];
        for (int j = 0; j < sparse.length; j++) {
            sparse[j] = (StructVector) root.getVector(VectorColumns.sparse(j));
        }
        sparseCounts = new int[sparse.length];
        floats = ByteBuffer.allocate(widest * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        clear();
    }

    /** Rows whose dense vectors, for which room is made before they come, fit the bound. */
    private static int capacity(long denseBytesPerRow) {
        return denseBytesPerRow == 0
                ? MAX_ROWS
                : (int) Math.max(1, Math.min(MAX_ROWS, MAX_BYTES / denseBytesPerRow));
    }

    VectorSchemaRoot root() {
        return root;
    }

    int rows() {
        return rows;
    }

    boolean full() {
        return rows == capacity || bytes >= MAX_BYTES;
    }

    void clear() {
        rows = 0;
        bytes = 0;
        java.util.Arrays.fill(sparseCounts, 0);
        root.clear();
        root.getFieldVectors().forEach(vector -> vector.setInitialCapacity(capacity));
        root.allocateNew();
        for (int i = 0; i < dense.length; i++) {
            int values = capacity * schema.vectors().get(i).dim();
            Float4Vector data = (Float4Vector) dense[i].getDataVector();
            data.allocateNew(values);
            data.getValidityBuffer()
                    .setOne(0L, (long) BitVectorHelper.getValidityBufferSize(values));
        }
    }

    void add(Row row) {
        Document document = row.document();
        keys.setSafe(rows, document.key().canonical());
        sources.setSafe(rows, row.source());
        bytes += document.key().canonical().length + row.source().length;
        partitions.set(rows, row.ingestPartition());
        offsets.set(rows, row.ingestOffset());
        for (int i = 0; i < dense.length; i++) {
            CollectionSchema.Vector vector = schema.vectors().get(i);
            dense(dense[i], vector, document.vectors().get(vector.name()));
        }
        for (int j = 0; j < sparse.length; j++) {
            sparse(j, document.sparseVectors().get(schema.sparseVectors().get(j).name()));
        }
        rows++;
    }

    private void dense(FixedSizeListVector column, CollectionSchema.Vector type, float[] value) {
        int dim = type.dim();
        Float4Vector data = (Float4Vector) column.getDataVector();
        if (value == null) {
            column.setNull(rows);
            for (int i = 0; i < dim; i++) {
                data.setNull(rows * dim + i);
            }
            return;
        }
        if (value.length != dim) {
            throw new IllegalArgumentException(
                    "vector \"" + type.name() + "\" has " + value.length + " values, not " + dim);
        }
        floats.clear();
        floats.asFloatBuffer().put(value);
        floats.limit(dim * Float.BYTES);
        data.getDataBuffer().setBytes((long) rows * dim * Float.BYTES, floats);
        column.setNotNull(rows);
    }

    /** An absent vector is a null struct over two empty lists. */
    private void sparse(int j, SparseVector value) {
        StructVector column = sparse[j];
        ListVector indices = (ListVector) column.getChild("indices");
        ListVector values = (ListVector) column.getChild("values");
        int length = value == null ? 0 : value.indices().length;
        indices.startNewValue(rows);
        values.startNewValue(rows);
        UInt4Vector indexData = (UInt4Vector) indices.getDataVector();
        Float4Vector valueData = (Float4Vector) values.getDataVector();
        for (int i = 0; i < length; i++) {
            indexData.setSafe(sparseCounts[j] + i, value.indices()[i]);
            valueData.setSafe(sparseCounts[j] + i, value.values()[i]);
        }
        sparseCounts[j] += length;
        bytes += (long) length * (Integer.BYTES + Float.BYTES);
        indices.endValue(rows, length);
        values.endValue(rows, length);
        if (value == null) {
            column.setNull(rows);
        } else {
            column.setIndexDefined(rows);
        }
    }

    /** Tells Arrow how much is filled. */
    void seal() {
        for (FixedSizeListVector column : dense) {
            column.getDataVector().setValueCount(rows * column.getListSize());
        }
        for (int j = 0; j < sparse.length; j++) {
            ((ListVector) sparse[j].getChild("indices"))
                    .getDataVector()
                    .setValueCount(sparseCounts[j]);
            ((ListVector) sparse[j].getChild("values"))
                    .getDataVector()
                    .setValueCount(sparseCounts[j]);
        }
        root.setRowCount(rows);
    }

    @Override
    public void close() {
        root.close();
    }
}
