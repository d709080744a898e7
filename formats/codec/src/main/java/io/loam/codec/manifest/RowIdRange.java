package io.loam.codec.manifest;

import java.io.Serializable;

/** Row ids {@code start} to {@code end}, exclusive; unsigned. */
public record RowIdRange(long start, long end) implements Serializable {
    private static final long serialVersionUID = 1L;

    public long length() {
        return end - start;
    }

    @Override
    public String toString() {
        return "[" + Long.toUnsignedString(start) + ", " + Long.toUnsignedString(end) + ")";
    }
}
