package io.loam.tantivy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Documents in the form in which Tantivy's Java binding takes many at once, in native byte order:
 *
 * <pre>
 * batch    = u32 magic | document* | u32 offset of each document
 *            | u32 offset of the offsets | u32 documents | u32 magic
 * document = u16 fields | field*
 * field    = u16 length | name | u8 type | u16 values | value*
 * value    = u32 length | bytes   (text, bytes, JSON)
 *          | 8 bytes              (integers, doubles, dates in ns)
 *          | u8                   (bool)
 * </pre>
 *
 * A field of more values than a u16 counts is written as several fields of the same name.
 */
final class DocumentBatch {
    private static final int MAGIC = 0x54414e54;
    private static final int MAX_VALUES = 65535;
    private static final int MAX_FIELDS = 65535;

    private enum Type {
        TEXT(0),
        INTEGER(1),
        FLOAT(2),
        BOOLEAN(3),
        DATE(4),
        BYTES(5),
        JSON(6),
        UNSIGNED(8);

        private final byte code;

        Type(int code) {
            this.code = (byte) code;
        }
    }

    private static final int INITIAL_BYTES = 1 << 16;
    private static final int INITIAL_DOCUMENTS = 256;

    private ByteBuffer buffer = allocate(INITIAL_BYTES);
    private int[] offsets = new int[INITIAL_DOCUMENTS];
    private int documents;
    private int fieldsInDocument;

    DocumentBatch() {
        clear();
    }

    void clear() {
        buffer.clear().putInt(MAGIC);
        documents = 0;
    }

    int documents() {
        return documents;
    }

    int bytes() {
        return buffer.position();
    }

    void startDocument() {
        if (documents == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * documents);
        }
        offsets[documents++] = buffer.position();
        fieldsInDocument = 0;
        reserve(Short.BYTES);
        buffer.putShort((short) 0);
    }

    void endDocument() {
        if (fieldsInDocument > MAX_FIELDS) {
            throw new IllegalArgumentException(
                    "a document has values for more than " + MAX_FIELDS + " fields");
        }
        buffer.putShort(offsets[documents - 1], (short) fieldsInDocument);
    }

    void text(String field, List<String> values) {
        eachChunk(field, Type.TEXT, values, this::putString);
    }

    void json(String field, List<byte[]> values) {
        eachChunk(field, Type.JSON, values, this::putBytes);
    }

    void bytes(String field, byte[] value) {
        eachChunk(field, Type.BYTES, List.of(value), this::putBytes);
    }

    void unsigned(String field, List<Long> values) {
        eachChunk(field, Type.UNSIGNED, values, this::putLong);
    }

    void integers(String field, List<Long> values) {
        eachChunk(field, Type.INTEGER, values, this::putLong);
    }

    /** Writes -0.0 as 0.0, which order as two values in native code. */
    void doubles(String field, List<Double> values) {
        eachChunk(
                field,
                Type.FLOAT,
                values,
                value -> putLong(Double.doubleToRawLongBits(value + 0.0)));
    }

    void booleans(String field, List<Boolean> values) {
        eachChunk(
                field,
                Type.BOOLEAN,
                values,
                value -> {
                    reserve(1);
                    buffer.put((byte) (value ? 1 : 0));
                });
    }

    void dates(String field, List<Long> epochMillis) {
        eachChunk(field, Type.DATE, epochMillis, ms -> putLong(Math.multiplyExact(ms, 1_000_000L)));
    }

    private interface ValueWriter<T> {
        void write(T value);
    }

    private <T> void eachChunk(String field, Type type, List<T> values, ValueWriter<T> writer) {
        for (int from = 0; from < values.size(); from += MAX_VALUES) {
            int to = Math.min(values.size(), from + MAX_VALUES);
            byte[] name = field.getBytes(StandardCharsets.UTF_8);
            reserve(Short.BYTES + name.length + 1 + Short.BYTES);
            buffer.putShort((short) name.length).put(name).put(type.code);
            buffer.putShort((short) (to - from));
            values.subList(from, to).forEach(writer::write);
            fieldsInDocument++;
        }
    }

    private void putString(String value) {
        putBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    private void putBytes(byte[] value) {
        reserve(Integer.BYTES + value.length);
        buffer.putInt(value.length).put(value);
    }

    private void putLong(long value) {
        reserve(Long.BYTES);
        buffer.putLong(value);
    }

    /** The finished batch; valid until the next {@link #clear}. */
    ByteBuffer finish() {
        reserve((documents + 3) * Integer.BYTES);
        int table = buffer.position();
        for (int i = 0; i < documents; i++) {
            buffer.putInt(offsets[i]);
        }
        buffer.putInt(table).putInt(documents).putInt(MAGIC);
        // The binding reads a buffer's capacity, not its limit.
        return buffer.slice(0, buffer.position());
    }

    private void reserve(int bytes) {
        if (buffer.remaining() >= bytes) {
            return;
        }
        int needed = Math.addExact(buffer.position(), bytes);
        ByteBuffer larger = allocate((int) Math.max(needed, 2L * buffer.capacity()));
        buffer.flip();
        larger.put(buffer);
        buffer = larger;
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
}
