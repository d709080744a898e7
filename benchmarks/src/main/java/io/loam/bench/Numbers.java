package io.loam.bench;

import java.util.Locale;

/** Numbers as tables show them: three or four digits that count. */
final class Numbers {
    private Numbers() {}

    static String text(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "-";
        }
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,.0f", value).replace(',', ' ');
        }
        return String.format(
                Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
    }
}
