package io.loam.bench;

/**
 * A figure with what it came to.
 *
 * @param session where and when
 */
record Measured(
        String id,
        String what,
        String target,
        FigureResult result,
        double seconds,
        Session session) {
    static Measured of(Figure figure, FigureResult result, double seconds, Session session) {
        return new Measured(figure.id(), figure.what(), figure.target(), result, seconds, session);
    }

    boolean isMeasured() {
        return result.isMeasured();
    }
}
