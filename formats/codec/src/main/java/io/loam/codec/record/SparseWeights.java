package io.loam.codec.record;

import io.loam.codec.CorruptException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A sparse vector as a split stores it:
 *
 * <pre>
 * u32 LE n | n x u32 LE indices, strictly ascending | n x f32 LE weights
 * </pre>
 */
public final class SparseWeights {
    private static final int WORD = 4;

    private SparseWeights() {}

    public static byte[] encode(SparseVector vector) {
        int n = vector.indices().length;
        ByteBuffer out = ByteBuffer.allocate(WORD + 2 * WORD * n).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(n);
        for (int index : vector.indices()) {
            out.putInt(index);
        }
        for (float value : vector.values()) {
            out.putFloat(value);
        }
        return out.array();
    }

    /**
     * @throws CorruptException if the bytes are not such a vector
     */
    public static SparseVector decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < WORD || (bytes.length - WORD) % (2 * WORD) != 0) {
            throw new CorruptException("sparse weights cannot have " + bytes.length + " bytes");
        }
        int n = (bytes.length - WORD) / (2 * WORD);
        int announced = in.getInt();
        if (announced != n) {
            throw new CorruptException(
                    "sparse weights announce "
                            + Integer.toUnsignedString(announced)
                            + " entries and hold "
                            + n);
        }
        int[] indices = new int[n];
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            indices[i] = in.getInt();
            if (i > 0 && Integer.compareUnsigned(indices[i - 1], indices[i]) >= 0) {
                throw new CorruptException("sparse indices do not ascend at entry " + i);
            }
        }
        for (int i = 0; i < n; i++) {
            values[i] = in.getFloat();
            if (!Float.isFinite(values[i])) {
                throw new CorruptException("sparse weight " + i + " is " + values[i]);
            }
        }
        return new SparseVector(indices, values);
    }
}
