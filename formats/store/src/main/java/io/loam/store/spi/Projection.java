package io.loam.store.spi;

/** Which columns to read; key and row id always are. */
public record Projection(boolean source, boolean sequence, boolean vectors) {
    public static final Projection KEYS = new Projection(false, false, false);
    public static final Projection SOURCES = new Projection(true, true, false);
    public static final Projection ALL = new Projection(true, true, true);
}
