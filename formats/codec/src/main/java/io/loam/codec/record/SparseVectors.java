package io.loam.codec.record;

import io.loam.codec.record.SparseVectorException.Reason;

import java.util.Arrays;

/** Builds sparse vectors from arbitrary input. */
public final class SparseVectors {
    private SparseVectors() {}

    /**
     * Sorts by index and checks: equal lengths, finite weights, no index twice.
     *
     * @param indices unsigned 32-bit
     * @throws SparseVectorException for the first rule broken
     */
    public static SparseVector canonical(int[] indices, float[] values) {
        if (indices.length != values.length) {
            throw new SparseVectorException(
                    Reason.LENGTH_MISMATCH,
                    indices.length + " indices but " + values.length + " values");
        }
        for (int i = 0; i < values.length; i++) {
            if (!Float.isFinite(values[i])) {
                throw new SparseVectorException(
                        Reason.NON_FINITE,
                        "the weight of index "
                                + Integer.toUnsignedString(indices[i])
                                + " is "
                                + values[i]);
            }
        }
        return sorted(indices, values);
    }

    private static SparseVector sorted(int[] indices, float[] values) {
        long[] order = new long[indices.length];
        boolean ascending = true;
        for (int i = 0; i < order.length; i++) {
            order[i] = (indices[i] & 0xffffffffL) << 31 | i;
            ascending &= i == 0 || Integer.compareUnsigned(indices[i - 1], indices[i]) < 0;
        }
        if (ascending) {
            return new SparseVector(indices, values);
        }
        Arrays.sort(order);
        int[] sortedIndices = new int[order.length];
        float[] sortedValues = new float[order.length];
        for (int i = 0; i < order.length; i++) {
            sortedIndices[i] = (int) (order[i] >>> 31);
            sortedValues[i] = values[(int) (order[i] & Integer.MAX_VALUE)];
            if (i > 0 && sortedIndices[i] == sortedIndices[i - 1]) {
                throw new SparseVectorException(
                        Reason.DUPLICATE_INDEX,
                        "index " + Integer.toUnsignedString(sortedIndices[i]) + " stands twice");
            }
        }
        return new SparseVector(sortedIndices, sortedValues);
    }
}
