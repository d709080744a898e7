package io.loam.codec.schema;

/** Names of indexes in Lance: the index of the i-th dense vector is {@code vec_<i>}. */
public final class IndexNames {
    /** The index of keys. */
    public static final String KEYS = "pk_btree";

    private IndexNames() {}

    public static String ofVector(int position) {
        return "vec_" + position;
    }
}
