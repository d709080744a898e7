package io.loam.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes what was measured into a page, between its markers. */
final class MeasuredPart {
    private static final String BEGIN = "<!-- begin measured -->";
    private static final String END = "<!-- end measured -->";

    private MeasuredPart() {}

    static void write(Path page, Report report) throws IOException {
        String[] around = around(page);
        Files.writeString(page, around[0] + "\n\n" + markdown(report) + "\n" + around[1]);
    }

    /**
     * What a page has before and behind its measured part.
     *
     * @throws IOException if it cannot be read, or has no such part
     */
    static String[] around(Path page) throws IOException {
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(
                    page + " has no \"" + BEGIN + "\" with \"" + END + "\" behind it");
        }
        return new String[] {text.substring(0, begin + BEGIN.length()), text.substring(end)};
    }

    static String markdown(Report report) {
        StringBuilder out = new StringBuilder();
        line(out, "| figure | what | target | value | spread | verdict |");
        line(out, "|---|---|---|---|---|---|");
        report.measured().forEach(figure -> verdicts(out, figure));
        line(out, "");
        line(out, "![how far beyond its target each value is](benchmarks.svg)");
        for (Measured figure : report.measured()) {
            rows(out, figure);
        }
        line(out, "");
        line(out, "### Where it was measured");
        report.bySession().forEach((session, figures) -> session(out, session, figures));
        return out.toString();
    }

    private static void session(StringBuilder out, Session session, List<Measured> figures) {
        line(out, "");
        line(out, "| | |");
        line(out, "|---|---|");
        line(
                out,
                "| figures | %s |",
                figures.stream().map(Measured::id).collect(Collectors.joining(", ")));
        session.facts().forEach((name, fact) -> line(out, "| %s | %s |", name, fact));
    }

    private static void verdicts(StringBuilder out, Measured figure) {
        FigureResult result = figure.result();
        if (result.goals().isEmpty()) {
            line(
                    out,
                    "| %s | %s | %s | | | %s |",
                    figure.id(),
                    figure.what(),
                    figure.target(),
                    result.verdict());
        }
        for (Goal goal : result.goals()) {
            String verdict = goal.verdict().toString();
            line(
                    out,
                    "| %s | %s: %s | %s | %s %s | %s to %s | %s |",
                    figure.id(),
                    figure.what(),
                    goal.name(),
                    TextTable.bound(goal),
                    Numbers.text(goal.value()),
                    goal.unit(),
                    Numbers.text(goal.min()),
                    Numbers.text(goal.max()),
                    goal.met() ? verdict : "**" + verdict + "**");
        }
    }

    private static void rows(StringBuilder out, Measured figure) {
        FigureResult result = figure.result();
        line(out, "");
        line(out, "### %s: %s", figure.id(), figure.what());
        line(out, "");
        line(out, "Target: %s. %s%s.", figure.target(), result.verdict(), took(figure));
        if (!result.reason().isEmpty()) {
            line(out, "");
            line(out, "%s", result.reason().lines().findFirst().orElse(""));
        }
        if (result.rows().isEmpty()) {
            return;
        }
        line(out, "");
        line(out, "| measured | median | spread | ratio | runs |");
        line(out, "|---|---|---|---|---|");
        for (FigureResult.Row row : result.rows()) {
            if (!row.isMeasured()) {
                line(out, "| %s | %s | | | |", row.name(), FigureResult.Verdict.NOT_MEASURED);
                continue;
            }
            line(
                    out,
                    "| %s | %s %s | %s to %s | %s | %d |",
                    row.name(),
                    Numbers.text(row.median()),
                    row.unit(),
                    Numbers.text(row.min()),
                    Numbers.text(row.max()),
                    Double.isNaN(row.ratio()) ? "" : Numbers.text(row.ratio()) + " x",
                    row.runs());
        }
    }

    private static String took(Measured figure) {
        return Double.isNaN(figure.seconds())
                ? ""
                : String.format(Locale.ROOT, ", in %.0f s", figure.seconds());
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
