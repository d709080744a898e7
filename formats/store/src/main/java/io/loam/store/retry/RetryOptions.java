package io.loam.store.retry;

import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How often something is tried. The n-th pause is drawn from the upper half of {@code firstPauseMs
 * * 2^(n-1)}, at most {@code longestPauseMs}, so that many clients of one store do not come back
 * all at once.
 *
 * @param attempts how often in all; 1 means no second time
 * @param firstPauseMs before the second attempt
 * @param longestPauseMs never wait longer than this at once
 */
public record RetryOptions(int attempts, long firstPauseMs, long longestPauseMs)
        implements Serializable {
    /** Six attempts within at most 6.2 seconds of pauses. */
    public static final RetryOptions DEFAULT = new RetryOptions(6, 200, 5_000);

    private static final String PREFIX = "retry.";
    private static final String ATTEMPTS = PREFIX + "attempts";
    private static final String FIRST_PAUSE = PREFIX + "first-pause-ms";
    private static final String LONGEST_PAUSE = PREFIX + "longest-pause-ms";
    private static final long serialVersionUID = 1L;

    public RetryOptions {
        if (attempts < 1) {
            throw new IllegalArgumentException(
                    "the number of attempts must be at least 1, not " + attempts);
        }
        if (firstPauseMs < 1 || longestPauseMs < firstPauseMs) {
            throw new IllegalArgumentException(
                    "pauses must begin with at least 1 ms and not be longer at first ("
                            + firstPauseMs
                            + " ms) than at most ("
                            + longestPauseMs
                            + " ms)");
        }
    }

    /** Whether a setting of a warehouse belongs here. */
    public static boolean isSetting(String name) {
        return name.startsWith(PREFIX);
    }

    /**
     * What a warehouse's settings say, defaults put in: {@code retry.attempts}, {@code
     * retry.first-pause-ms}, {@code retry.longest-pause-ms}.
     *
     * @throws IllegalArgumentException for another name with that prefix, or no number
     */
    public static RetryOptions of(Map<String, String> settings) {
        Set<String> known = new TreeSet<>(Set.of(ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE));
        for (String name : settings.keySet()) {
            if (isSetting(name) && !known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no setting " + name + "; there are " + known);
            }
        }
        return new RetryOptions(
                number(settings, ATTEMPTS, DEFAULT.attempts),
                number(settings, FIRST_PAUSE, (int) DEFAULT.firstPauseMs),
                number(settings, LONGEST_PAUSE, (int) DEFAULT.longestPauseMs));
    }

    private static int number(Map<String, String> settings, String name, int otherwise) {
        String value = settings.get(name);
        try {
            return value == null ? otherwise : Integer.parseInt(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the setting " + name + " is a whole number, not \"" + value + "\"", e);
        }
    }

    /**
     * How long to wait after a failed attempt.
     *
     * @param failed attempts so far, at least 1
     * @param random 0 to 1
     */
    public long pauseMs(int failed, double random) {
        int doublings = Math.min(failed - 1, Long.SIZE - 2);
        long doubled = firstPauseMs << doublings;
        long whole = doubled >> doublings == firstPauseMs ? doubled : longestPauseMs;
        long capped = Math.min(whole, longestPauseMs);
        return capped - (long) (random * (capped / 2));
    }

    /** The longest that all pauses of one operation can add up to. */
    public long longestTotalMs() {
        long total = 0;
        for (int failed = 1; failed < attempts; failed++) {
            total += pauseMs(failed, 0);
        }
        return total;
    }
}
