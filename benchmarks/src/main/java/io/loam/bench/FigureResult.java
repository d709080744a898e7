package io.loam.bench;

import java.util.List;

/**
 * What a figure came to.
 *
 * @param rows what was measured, also beside the goals
 * @param goals the numbers that are compared with the target; none if it was not measured
 * @param reason why a target was missed or nothing measured, or what qualifies the numbers; may be
 *     empty
 */
public record FigureResult(List<Row> rows, List<Goal> goals, String reason) {
    public FigureResult {
        rows = List.copyOf(rows);
        goals = List.copyOf(goals);
    }

    /** Whether the target is met. */
    public enum Verdict {
        MET("MET"),
        MISSED("MISSED"),
        NOT_MEASURED("NOT MEASURED");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * One quantity of one arm.
     *
     * @param ratio to the baseline of the same run, median of the pairs; NaN if it has none
     */
    public record Row(
            String name,
            double median,
            double min,
            double max,
            String unit,
            double ratio,
            int runs) {
        public static Row of(String name, Samples samples, String unit) {
            return of(name, samples, unit, Double.NaN);
        }

        /** With its ratio to a baseline: pair by pair, if both ran as often. */
        public static Row of(String name, Samples samples, String unit, Samples baseline) {
            double ratio =
                    samples.runs() == baseline.runs()
                            ? samples.over(baseline).median()
                            : samples.median() / baseline.median();
            return of(name, samples, unit, ratio);
        }

        private static Row of(String name, Samples samples, String unit, double ratio) {
            return new Row(
                    name,
                    samples.median(),
                    samples.min(),
                    samples.max(),
                    unit,
                    ratio,
                    samples.runs());
        }
    }

    public static FigureResult notMeasured(String reason) {
        return new FigureResult(List.of(), List.of(), reason);
    }

    public Verdict verdict() {
        if (goals.isEmpty()) {
            return Verdict.NOT_MEASURED;
        }
        return goals.stream().allMatch(Goal::met) ? Verdict.MET : Verdict.MISSED;
    }
}
