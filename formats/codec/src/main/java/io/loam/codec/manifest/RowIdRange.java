package io.loam.codec.manifest;

/** Row ids {@code start} to {@code end}, exclusive; unsigned. */
public record RowIdRange(long start, long end) {
    public long length() {
        return end - start;
    }

    @Override
    public String toString() {
        return "[" + Long.toUnsignedString(start) + ", " + Long.toUnsignedString(end) + ")";
    }
}
