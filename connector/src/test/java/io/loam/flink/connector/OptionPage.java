package io.loam.flink.connector;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;

import java.time.Duration;

/** How pages show options. */
public final class OptionPage {
    private OptionPage() {}

    /** The line of an option in a table: key, default, meaning. */
    public static String row(ConfigOption<?> option) {
        return "| `"
                + option.key()
                + "` | "
                + defaultOf(option)
                + " | "
                + new HtmlFormatter().format(option.description())
                + " |";
    }

    private static String defaultOf(ConfigOption<?> option) {
        Object value = option.defaultValue();
        if (value instanceof Duration duration) {
            return duration.toMillis() % 86_400_000 == 0
                    ? duration.toDays() + " d"
                    : duration.toMillis() % 3_600_000 == 0
                            ? duration.toHours() + " h"
                            : duration.toMillis() % 60_000 == 0
                                    ? duration.toMinutes() + " min"
                                    : duration.toSeconds() + " s";
        }
        return value == null ? "" : value.toString();
    }
}
