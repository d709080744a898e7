package io.loam.bench;

/** One figure that has a target. */
public interface Figure {
    /** Short name, such as {@code T1}. */
    String id();

    /** What is measured, in words. */
    String what();

    /** What it should be, in words. */
    String target();

    /**
     * Measures. A figure that throws counts as not measured, with the failure as its reason.
     *
     * @param context size, input, and how to run arms
     */
    FigureResult measure(BenchContext context) throws Exception;
}
