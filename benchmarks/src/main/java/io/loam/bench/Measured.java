package io.loam.bench;

/** A figure with what it came to. */
record Measured(String id, String what, String target, FigureResult result, double seconds) {
    static Measured of(Figure figure, FigureResult result, double seconds) {
        return new Measured(figure.id(), figure.what(), figure.target(), result, seconds);
    }
}
