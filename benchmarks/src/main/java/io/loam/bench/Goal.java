package io.loam.bench;

import io.loam.bench.FigureResult.Verdict;

/**
 * One number of a figure beside what it should be.
 *
 * @param name what the number is, such as {@code p99}
 * @param value measured, usually a median; NaN if it could not be
 * @param min smallest of the runs
 * @param max largest of the runs
 * @param target bound of the value
 * @param atLeast whether the bound is a lower one
 * @param unit of value and target; {@code x} for ratios
 */
public record Goal(
        String name,
        double value,
        double min,
        double max,
        double target,
        boolean atLeast,
        String unit) {

    public static Goal atLeast(String name, Samples measured, double target, String unit) {
        return new Goal(
                name, measured.median(), measured.min(), measured.max(), target, true, unit);
    }

    public static Goal atMost(String name, Samples measured, double target, String unit) {
        return new Goal(
                name, measured.median(), measured.min(), measured.max(), target, false, unit);
    }

    /** Of a part of a figure that failed. */
    public static Goal notMeasured(String name, double target, boolean atLeast, String unit) {
        return new Goal(name, Double.NaN, Double.NaN, Double.NaN, target, atLeast, unit);
    }

    public boolean isMeasured() {
        return !Double.isNaN(value);
    }

    public boolean met() {
        return atLeast ? value >= target : value <= target;
    }

    Verdict verdict() {
        return !isMeasured() ? Verdict.NOT_MEASURED : met() ? Verdict.MET : Verdict.MISSED;
    }

    /** 1 at the target, above 1 beyond it: for goals of any kind side by side. */
    public double fulfilment() {
        return atLeast ? value / target : target / value;
    }
}
