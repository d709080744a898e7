package io.loam.codec.schema;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates as text: digits only are epoch milliseconds, else {@code yyyy-MM-ddTHH:mm:ss[.f...][zone]}
 * with zone {@code Z}, {@code +HH:MM} or {@code +HHMM} (none means UTC), {@code yyyy-MM-dd}, {@code
 * yyyy/MM/dd HH:mm:ss}, {@code yyyy/MM/dd}. The range is that of 64-bit nanoseconds.
 */
public final class DateText {
    /** The largest magnitude, in ms. */
    public static final long MAX_MILLIS = 9_223_372_036_854L;

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern ISO =
            Pattern.compile(
                    "([0-9]{4})-([0-9]{2})-([0-9]{2})"
                            + "(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]+))?"
                            + "(Z|[+-][0-9]{2}:?[0-9]{2})?)?");
    private static final Pattern SLASHED =
            Pattern.compile(
                    "([0-9]{4})/([0-9]{2})/([0-9]{2})(?: ([0-9]{2}):([0-9]{2}):([0-9]{2}))?");

    private DateText() {}

    /** Milliseconds since the epoch, empty if the text is no date or out of range. */
    public static OptionalLong millis(String text) {
        if (DIGITS.matcher(text).matches()) {
            try {
                return inRange(Long.parseLong(text));
            } catch (NumberFormatException e) {
                return OptionalLong.empty();
            }
        }
        return formatted(text);
    }

    /** As {@link #millis}, but digits alone are no date. */
    public static OptionalLong formatted(String text) {
        Matcher iso = ISO.matcher(text);
        try {
            if (iso.matches()) {
                return inRange(millis(iso, fraction(iso.group(7)), offsetSeconds(iso.group(8))));
            }
            Matcher slashed = SLASHED.matcher(text);
            return slashed.matches() ? inRange(millis(slashed, 0, 0)) : OptionalLong.empty();
        } catch (DateTimeException e) {
            // Shaped like a date, but there is no such day or time.
            return OptionalLong.empty();
        }
    }

    static OptionalLong inRange(long millis) {
        return Math.abs(millis) <= MAX_MILLIS && millis != Long.MIN_VALUE
                ? OptionalLong.of(millis)
                : OptionalLong.empty();
    }

    private static long millis(Matcher date, int fractionMillis, int offsetSeconds) {
        LocalDate day = LocalDate.of(number(date, 1), number(date, 2), number(date, 3));
        LocalDateTime time =
                date.group(4) == null
                        ? day.atStartOfDay()
                        : day.atTime(number(date, 4), number(date, 5), number(date, 6));
        return (time.toEpochSecond(ZoneOffset.UTC) - offsetSeconds) * 1000 + fractionMillis;
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    /** Floor of the fraction in ms; digits beyond the third only shorten towards the past. */
    private static int fraction(String digits) {
        return digits == null ? 0 : Integer.parseInt((digits + "00").substring(0, 3));
    }

    private static int offsetSeconds(String zone) {
        if (zone == null || zone.equals("Z")) {
            return 0;
        }
        int hours = Integer.parseInt(zone.substring(1, 3));
        int minutes = Integer.parseInt(zone.substring(zone.length() - 2));
        if (hours > 23 || minutes > 59) {
            throw new DateTimeException("no such zone: " + zone);
        }
        return (zone.charAt(0) == '-' ? -60 : 60) * (hours * 60 + minutes);
    }
}
