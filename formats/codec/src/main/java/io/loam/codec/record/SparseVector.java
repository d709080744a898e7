package io.loam.codec.record;

import java.util.Arrays;

/**
 * A sparse vector in canonical form: unsigned 32-bit indices strictly ascending, one finite weight
 * each. The arrays are not to be changed.
 */
public record SparseVector(int[] indices, float[] values) {
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof SparseVector)) {
            return false;
        }
        SparseVector that = (SparseVector) other;
        return Arrays.equals(indices, that.indices) && Vectors.equal(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(indices);
    }
}
