package io.loam.jobs.cli;

import org.apache.flink.util.TimeUtils;

import java.time.Duration;

/** Lengths of time on the command line, such as {@code 7d}, {@code 12h} or {@code 500ms}. */
final class TimeOption {
    private TimeOption() {}

    static Duration parse(String option, String text) {
        try {
            return TimeUtils.parseDuration(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new CliException(option + " " + text + " is no time; write 7d, 12h or 30min", e);
        }
    }
}
