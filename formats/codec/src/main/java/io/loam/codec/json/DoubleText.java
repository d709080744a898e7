package io.loam.codec.json;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;

/**
 * The shortest decimal text that reads back to the same double. Decimal notation while the point
 * falls within 16 digits or behind at most 4 zeros after "0.", else {@code d.ddde-n}; always with a
 * point or an exponent. The digits come from Schubfach, because {@code Double.toString} is not
 * always shortest before JDK 19.
 */
final class DoubleText {
    private static final int MAX_POINT = 16;
    private static final int MIN_POINT = -5;

    private DoubleText() {}

    static void append(double value, StringBuilder out) {
        if (value == 0) {
            out.append(1 / value < 0 ? "-0.0" : "0.0");
            return;
        }
        String text = DoubleToDecimal.toString(Math.abs(value));
        int e = text.indexOf('E');
        int dot = text.indexOf('.');
        String mantissa = e < 0 ? text : text.substring(0, e);
        String all = mantissa.substring(0, dot) + mantissa.substring(dot + 1);
        int first = 0;
        while (all.charAt(first) == '0') {
            first++;
        }
        int last = all.length();
        while (all.charAt(last - 1) == '0') {
            last--;
        }
        // The value is 0.DIGITS times 10 to the power of point.
        int point = dot - first + (e < 0 ? 0 : Integer.parseInt(text.substring(e + 1)));
        if (value < 0) {
            out.append('-');
        }
        String digits = all.substring(first, last);
        if (digits.length() == 2) {
            int rounded = (Integer.parseInt(digits) + 5) / 10;
            // Java asks for two digits where one would read back to the same subnormal.
            if (Double.parseDouble(rounded + "e" + (point - 1)) == Math.abs(value)) {
                point += rounded / 10;
                digits = rounded == 10 ? "1" : Integer.toString(rounded);
            }
        }
        layOut(digits, point, out);
    }

    private static void layOut(String digits, int point, StringBuilder out) {
        if (point > MAX_POINT || point <= MIN_POINT) {
            out.append(digits.charAt(0));
            if (digits.length() > 1) {
                out.append('.').append(digits, 1, digits.length());
            }
            out.append('e').append(point - 1);
        } else if (point <= 0) {
            out.append("0.").append("0".repeat(-point)).append(digits);
        } else if (digits.length() <= point) {
            out.append(digits).append("0".repeat(point - digits.length())).append(".0");
        } else {
            out.append(digits, 0, point).append('.').append(digits, point, digits.length());
        }
    }
}
