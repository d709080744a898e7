package io.loam.bench;

import java.util.List;
import java.util.Locale;

/**
 * Goals as an SVG: one bar each, as long as the goal is fulfilled, with the target as a line. The
 * scale is logarithmic, as some goals are passed many times over.
 */
final class Plot {
    private static final int WIDTH = 860;
    private static final int LEFT = 300;
    private static final int BAR = 18;
    private static final int STEP = 26;
    private static final int TOP = 44;
    private static final double LOWEST = 0.1;
    private static final double HIGHEST = 20;

    private Plot() {}

    static String of(List<Measured> measured) {
        StringBuilder bars = new StringBuilder();
        int y = TOP;
        for (Measured figure : measured) {
            for (Goal goal : figure.result().goals()) {
                bar(bars, y, figure.id() + " " + goal.name(), goal);
                y += STEP;
            }
        }
        int height = y + 16;
        StringBuilder out = new StringBuilder();
        line(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                height);
        line(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        line(
                out,
                "<text x=\"%d\" y=\"18\" fill=\"#333\">value as a share of its target, logarithmic"
                        + " (right of the line: met)</text>",
                LEFT);
        for (double tick : new double[] {0.1, 0.2, 0.5, 1, 2, 5, 10, 20}) {
            tick(out, tick, height);
        }
        return out.append(bars).append("</svg>").append(System.lineSeparator()).toString();
    }

    private static void tick(StringBuilder out, double value, int height) {
        boolean target = value == 1;
        line(
                out,
                "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"%4$s\""
                        + " stroke-width=\"%5$d\"/>",
                x(value),
                TOP - 6,
                height - 10,
                target ? "#b00020" : "#dddddd",
                target ? 2 : 1);
        line(
                out,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#777\">%s</text>",
                x(value),
                TOP - 10,
                target ? "target" : Numbers.text(value) + " x");
    }

    private static void bar(StringBuilder out, int y, String name, Goal goal) {
        double from = x(LOWEST);
        double to = x(Math.min(HIGHEST, Math.max(LOWEST, goal.fulfilment())));
        line(
                out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#333\">%s</text>",
                LEFT - 8,
                y + BAR - 5,
                escaped(name));
        line(
                out,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\""
                        + " fill-opacity=\"0.75\"/>",
                from,
                y,
                Math.max(1, to - from),
                BAR,
                goal.met() ? "#2e7d32" : "#ef6c00");
        line(
                out,
                "<text x=\"%.1f\" y=\"%d\" fill=\"#111\">%s</text>",
                from + 4,
                y + BAR - 5,
                escaped(
                        Numbers.text(goal.value())
                                + " "
                                + goal.unit()
                                + ", target "
                                + TextTable.bound(goal)));
    }

    private static double x(double value) {
        double share = Math.log(value / LOWEST) / Math.log(HIGHEST / LOWEST);
        return LEFT + share * (WIDTH - LEFT - 30);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
