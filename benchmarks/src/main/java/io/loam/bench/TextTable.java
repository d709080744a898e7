package io.loam.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures as text for a terminal. */
final class TextTable {
    private TextTable() {}

    /** One line for each goal: figure, target, value, spread, verdict. */
    static String of(List<Measured> measured) {
        List<String[]> lines = new ArrayList<>();
        lines.add(new String[] {"figure", "target", "value", "spread", "verdict"});
        for (Measured figure : measured) {
            FigureResult result = figure.result();
            if (result.goals().isEmpty()) {
                lines.add(
                        new String[] {
                            figure.id(), figure.target(), "-", "-", result.verdict().toString()
                        });
            }
            for (Goal goal : result.goals()) {
                lines.add(
                        new String[] {
                            figure.id() + " " + goal.name(),
                            bound(goal),
                            Numbers.text(goal.value()) + " " + goal.unit(),
                            Numbers.text(goal.min()) + " .. " + Numbers.text(goal.max()),
                            goal.verdict().toString()
                        });
            }
        }
        return aligned(lines);
    }

    static String bound(Goal goal) {
        return (goal.atLeast() ? ">= " : "<= ") + Numbers.text(goal.target()) + " " + goal.unit();
    }

    /** All rows of one figure. */
    static String figure(Measured figure) {
        FigureResult result = figure.result();
        List<String[]> lines = new ArrayList<>();
        for (FigureResult.Row row : result.rows()) {
            if (!row.isMeasured()) {
                lines.add(
                        new String[] {
                            "  " + row.name(),
                            FigureResult.Verdict.NOT_MEASURED.toString(),
                            "",
                            "",
                            ""
                        });
                continue;
            }
            lines.add(
                    new String[] {
                        "  " + row.name(),
                        Numbers.text(row.median()) + " " + row.unit(),
                        Numbers.text(row.min()) + " .. " + Numbers.text(row.max()),
                        Double.isNaN(row.ratio()) ? "" : Numbers.text(row.ratio()) + " x",
                        row.runs() + (row.runs() == 1 ? " run" : " runs")
                    });
        }
        return aligned(lines)
                + String.format(
                        Locale.ROOT,
                        "  %s in %.0f s%s",
                        result.verdict(),
                        figure.seconds(),
                        result.reason().isEmpty() ? "" : ": " + result.reason());
    }

    private static String aligned(List<String[]> lines) {
        StringBuilder out = new StringBuilder();
        int columns = lines.isEmpty() ? 0 : lines.get(0).length;
        int[] widths = new int[columns];
        for (String[] line : lines) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        for (String[] line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                text.append(line[i]).append(" ".repeat(widths[i] - line[i].length() + 2));
            }
            out.append(text.toString().stripTrailing()).append(System.lineSeparator());
        }
        return out.toString();
    }
}
