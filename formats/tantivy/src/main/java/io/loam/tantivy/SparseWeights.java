package io.loam.tantivy;

import io.loam.codec.CorruptException;
import io.loam.codec.record.SparseVector;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A document's sparse vector inside a split.
 *
 * <pre>
 * terms   = every index as u64, and 2^64 - 1 for "has a vector"
 * weights = u32 LE n | n x u32 LE index, strictly ascending | n x f32 LE weight, finite
 * </pre>
 */
final class SparseWeights {
    /** The term of every document that has a vector; 2^64 - 1, unsigned. */
    static final long PRESENT = -1L;

    private SparseWeights() {}

    static List<Long> terms(SparseVector vector) {
        List<Long> terms = new ArrayList<>(vector.indices().length + 1);
        for (int index : vector.indices()) {
            terms.add(Integer.toUnsignedLong(index));
        }
        terms.add(PRESENT);
        return terms;
    }

    static byte[] encode(SparseVector vector) {
        int n = vector.indices().length;
        ByteBuffer bytes =
                ByteBuffer.allocate(Integer.BYTES + n * (Integer.BYTES + Float.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(n);
        for (int index : vector.indices()) {
            bytes.putInt(index);
        }
        for (float weight : vector.values()) {
            bytes.putFloat(weight);
        }
        return bytes.array();
    }

    /**
     * @throws CorruptException if the bytes are not weights
     */
    static SparseVector decode(byte[] encoded) {
        if (encoded.length < Integer.BYTES) {
            throw new CorruptException(
                    "sparse weights of " + encoded.length + " bytes have no length");
        }
        ByteBuffer bytes = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        long n = Integer.toUnsignedLong(bytes.getInt());
        if (bytes.remaining() != n * (Integer.BYTES + Float.BYTES)) {
            throw new CorruptException(
                    "sparse weights of " + encoded.length + " bytes cannot hold " + n + " pairs");
        }
        int[] indices = new int[(int) n];
        for (int i = 0; i < n; i++) {
            indices[i] = bytes.getInt();
            if (i > 0 && Integer.compareUnsigned(indices[i - 1], indices[i]) >= 0) {
                throw new CorruptException(
                        "sparse index "
                                + Integer.toUnsignedString(indices[i])
                                + " does not follow "
                                + Integer.toUnsignedString(indices[i - 1]));
            }
        }
        float[] weights = new float[(int) n];
        for (int i = 0; i < n; i++) {
            weights[i] = bytes.getFloat();
            if (!Float.isFinite(weights[i])) {
                throw new CorruptException("sparse weight " + weights[i] + " is not finite");
            }
        }
        return new SparseVector(indices, weights);
    }
}
