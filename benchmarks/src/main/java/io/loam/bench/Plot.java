package io.loam.bench;

import java.util.List;
import java.util.Locale;

/**
 * Goals as an SVG: one bar each, as long as the goal is fulfilled, with the target as a line. The
 * scale is logarithmic, as some goals are passed many times over.
 */
final class Plot {
    private static final int WIDTH = 900;
    private static final int LEFT = 300;
    private static final int BAR = 18;
    private static final int STEP = 26;
    private static final int TOP = 44;
    private static final int RIGHT = 70;
    private static final String MISSED = "#b00020";
    private static final double LOWEST = 0.1;
    private static final double HIGHEST = 20;

    private Plot() {}

    static String of(List<Measured> measured) {
        StringBuilder bars = new StringBuilder();
        int y = TOP;
        for (Measured figure : measured) {
            for (Goal goal : figure.result().goals()) {
                label(bars, y, figure.id() + " " + goal.name());
                if (goal.isMeasured()) {
                    bar(bars, y, goal);
                } else {
                    notMeasured(bars, y);
                }
                y += STEP;
            }
            if (figure.result().goals().isEmpty()) {
                label(bars, y, figure.id());
                notMeasured(bars, y);
                y += STEP;
            }
        }
        int height = y + 16;
        StringBuilder out = new StringBuilder();
        line(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\""
                        + " height=\"%2$d\" font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                height);
        line(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        line(
                out,
                "<text x=\"8\" y=\"18\" fill=\"#333\">How far beyond its target each value is, on"
                        + " a logarithmic scale; right of the line is better, whether more or less"
                        + " is wanted.</text>");
        for (double tick : new double[] {0.1, 0.2, 0.5, 1, 2, 5, 10, 20}) {
            tick(out, tick, height);
        }
        out.append(bars);
        rule(out, 1, height, MISSED, 2); // above the bars, to see which of them pass it
        return out.append("</svg>").append(System.lineSeparator()).toString();
    }

    private static void tick(StringBuilder out, double value, int height) {
        rule(out, value, height, "#dddddd", 1);
        line(
                out,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>",
                x(value),
                TOP - 10,
                value == 1 ? "target" : Numbers.text(value) + " x");
    }

    private static void rule(StringBuilder out, double value, int height, String colour, int wide) {
        line(
                out,
                "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"%4$s\""
                        + " stroke-width=\"%5$d\"/>",
                x(value),
                TOP - 6,
                height - 10,
                colour,
                wide);
    }

    private static void label(StringBuilder out, int y, String name) {
        text(out, LEFT - 8, y, "end", "#333", name);
    }

    private static void notMeasured(StringBuilder out, int y) {
        text(out, x(LOWEST) + 4, y, "start", "#777", "not measured");
    }

    private static void bar(StringBuilder out, int y, Goal goal) {
        double from = x(LOWEST);
        double to = x(Math.min(HIGHEST, Math.max(LOWEST, goal.fulfilment())));
        line(
                out,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                from,
                y,
                Math.max(1, to - from),
                BAR,
                goal.met() ? "#a5d6a7" : "#ffcc80");
        text(
                out,
                from + 4,
                y,
                "start",
                "#111",
                Numbers.text(goal.value())
                        + " "
                        + goal.unit()
                        + ", target "
                        + TextTable.bound(goal));
        text(
                out,
                WIDTH - 8,
                y,
                "end",
                goal.met() ? "#1b5e20" : MISSED,
                goal.met() ? "met" : "missed");
    }

    private static void text(
            StringBuilder out, double x, int y, String anchor, String colour, String text) {
        line(
                out,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
                x,
                y + BAR - 5,
                anchor,
                colour,
                escaped(text.strip()));
    }

    private static double x(double value) {
        double share = Math.log(value / LOWEST) / Math.log(HIGHEST / LOWEST);
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
