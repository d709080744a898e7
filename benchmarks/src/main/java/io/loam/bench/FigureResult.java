package io.loam.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
     * @param runs 0 if it was not measured; then all numbers are NaN
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

        /** Of an arm that failed; the figure's reason says why. */
        public static Row notMeasured(String name) {
            return new Row(name, Double.NaN, Double.NaN, Double.NaN, "", Double.NaN, 0);
        }

        public boolean isMeasured() {
            return runs > 0;
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

    /**
     * The same, and arms that failed as rows.
     *
     * @param failures why, by the name of the arm
     */
    public FigureResult without(Map<String, String> failures) {
        List<Row> all = new ArrayList<>(rows);
        failures.keySet().forEach(name -> all.add(Row.notMeasured(name)));
        FigureResult result = new FigureResult(all, goals, reason);
        for (Map.Entry<String, String> failure : failures.entrySet()) {
            result = result.and("not measured, " + failure.getKey() + ": " + failure.getValue());
        }
        return result;
    }

    /** The same with one reason more. */
    FigureResult and(String another) {
        String all = reason.isEmpty() ? another : reason + "; " + another;
        return new FigureResult(rows, goals, all);
    }

    /** Whether all goals were, and there is one. */
    boolean isMeasured() {
        return !goals.isEmpty() && goals.stream().allMatch(Goal::isMeasured);
    }

    public Verdict verdict() {
        List<Verdict> verdicts = goals.stream().map(Goal::verdict).toList();
        if (verdicts.contains(Verdict.MISSED)) {
            return Verdict.MISSED;
        }
        return isMeasured() ? Verdict.MET : Verdict.NOT_MEASURED;
    }
}
