package io.loam.codec.record;

/** Numeric comparison of float arrays: 0.0 equals -0.0. */
final class Vectors {
    private Vectors() {}

    static boolean equal(float[] a, float[] b) {
        if (a.length != b.length) {
            return false;
        }
        for (int i = 0; i < a.length; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }
}
