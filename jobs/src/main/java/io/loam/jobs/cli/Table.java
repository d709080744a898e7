package io.loam.jobs.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A plain table for people: a header, rows, columns as wide as their widest cell. */
final class Table {
    private static final int MAX_CELL = 100;

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... header) {
        this.header = List.of(header);
    }

    void row(Object... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.length + " cells in a table of " + header.size());
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(shorten(printable(String.valueOf(cell))));
        }
        rows.add(row);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    void print(PrintWriter out) {
        int[] widths = new int[header.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = header.get(i).length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        line(out, header, widths);
        for (List<String> row : rows) {
            line(out, row, widths);
        }
        out.flush();
    }

    private static void line(PrintWriter out, List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            if (i > 0) {
                line.append("  ");
            }
            line.append(cells.get(i));
            if (i < cells.size() - 1) {
                line.append(" ".repeat(widths[i] - cells.get(i).length()));
            }
        }
        out.println(line);
    }

    /** One line, and nothing in it that a terminal takes for a command. */
    private static String printable(String text) {
        return text.replaceAll("\\s+", " ").replaceAll("\\p{Cc}", "\ufffd");
    }

    static String shorten(String text) {
        if (text.length() <= MAX_CELL) {
            return text;
        }
        int end = MAX_CELL - 3;
        int whole = Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end;
        return text.substring(0, whole) + "...";
    }
}
