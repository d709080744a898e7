package io.loam.bench.ingest;

import io.loam.bench.input.Entry;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Entries as Arrow vectors: {@code _pk}, {@code _source} and the vectors. */
final class EntryBatch implements AutoCloseable {
    static final String KEY = "_pk";
    static final String SOURCE = "_source";
    static final String TEXT = "body";
    private static final int ROWS = 2048;

    private final VectorSchemaRoot root;
    private final VarCharVector keys;
    private final VarBinaryVector sources;
    @Nullable private final VarCharVector texts;
    private final FixedSizeListVector[] dense;
    private final int dimension;
    private final ByteBuffer floats;
    private int rows;

    EntryBatch(BufferAllocator allocator, int vectors, int dimension) {
        this(VectorSchemaRoot.create(schema(false, vectors, dimension), allocator), dimension);
    }

    /** Over vectors of a schema of this class. */
    EntryBatch(VectorSchemaRoot root, int dimension) {
        this.root = root;
        this.dimension = dimension;
        this.keys = (VarCharVector) root.getVector(KEY);
        this.sources = (VarBinaryVector) root.getVector(SOURCE);
        this.texts = (VarCharVector) root.getVector(TEXT);
        int others = texts == null ? 2 : 3;
        this.dense = new FixedSizeListVector[root.getFieldVectors().size() - others];
        for (int i = 0; i < dense.length; i++) {
            dense[i] = (FixedSizeListVector) root.getVector(Entry.vectorName(i));
        }
        this.floats = ByteBuffer.allocate(dimension * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        clear();
    }

    /**
     * @param text whether the text is a column of its own, too
     */
    static Schema schema(boolean text, int vectors, int dimension) {
        List<Field> fields = new ArrayList<>();
        fields.add(new Field(KEY, FieldType.notNullable(new ArrowType.Utf8()), null));
        fields.add(new Field(SOURCE, FieldType.notNullable(new ArrowType.Binary()), null));
        if (text) {
            fields.add(new Field(TEXT, FieldType.notNullable(new ArrowType.Utf8()), null));
        }
        ArrowType single = new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
        for (int i = 0; i < vectors; i++) {
            fields.add(
                    new Field(
                            Entry.vectorName(i),
                            FieldType.nullable(new ArrowType.FixedSizeList(dimension)),
                            List.of(new Field("item", FieldType.nullable(single), null))));
        }
        return new Schema(fields);
    }

    VectorSchemaRoot root() {
        return root;
    }

    int rows() {
        return rows;
    }

    boolean isFull() {
        return rows == ROWS;
    }

    void add(Entry entry) throws IOException {
        keys.setSafe(rows, entry.key().getBytes(StandardCharsets.UTF_8));
        sources.setSafe(rows, entry.json());
        if (texts != null) {
            String body = FlatDocument.parse(entry.json()).body();
            texts.setSafe(rows, body.getBytes(StandardCharsets.UTF_8));
        }
        for (int i = 0; i < dense.length; i++) {
            floats.clear();
            floats.asFloatBuffer().put(entry.vectors()[i]);
            Float4Vector data = (Float4Vector) dense[i].getDataVector();
            data.getDataBuffer().setBytes((long) rows * dimension * Float.BYTES, floats);
            dense[i].setNotNull(rows);
        }
        rows++;
    }

    void seal() {
        for (FixedSizeListVector column : dense) {
            column.getDataVector().setValueCount(rows * dimension);
        }
        root.setRowCount(rows);
    }

    void clear() {
        rows = 0;
        root.clear();
        root.getFieldVectors().forEach(vector -> vector.setInitialCapacity(ROWS));
        root.allocateNew();
        for (FixedSizeListVector column : dense) {
            int values = ROWS * dimension;
            Float4Vector data = (Float4Vector) column.getDataVector();
            data.allocateNew(values);
            data.getValidityBuffer()
                    .setOne(0L, (long) BitVectorHelper.getValidityBufferSize(values));
        }
    }

    @Override
    public void close() {
        root.close();
    }
}
