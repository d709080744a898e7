package io.loam.lance;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The threads Lance computes in, which it counts once:
 *
 * <pre>
 * LANCE_CPU_THREADS of the environment
 * else the processors without LANCE_IO_CORE_RESERVATION of them, 2 unless given; at least 1
 * </pre>
 *
 * With a single one a search of an index may wait in that thread for work that needs the thread,
 * and with it everything of Lance in the process, for ever (issue 7642 of Lance, which 7.0 has).
 */
final class NativeThreads {
    private static final Logger LOG = LoggerFactory.getLogger(NativeThreads.class);
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final String THREADS = "LANCE_CPU_THREADS";
    private static final String RESERVATION = "LANCE_IO_CORE_RESERVATION";
    private static final int DEFAULT_RESERVATION = 2;
    private static final int ENOUGH = 2;

    private static final int COUNT =
            count(System.getenv(), Runtime.getRuntime().availableProcessors());

    private NativeThreads() {}

    /** Whether indexes can be searched; says once why not. */
    static boolean suffice() {
        if (COUNT < ENOUGH && WARNED.compareAndSet(false, true)) {
            LOG.warn(
                    "indexes of vectors are not used, all vectors are compared: Lance has one"
                            + " thread to compute in, which could wait for itself; set the"
                            + " environment variable {} to 2 or more",
                    THREADS);
        }
        return COUNT >= ENOUGH;
    }

    static int count(Map<String, String> environment, int processors) {
        int given = number(environment.get(THREADS), 0);
        return given > 0
                ? given
                : Math.max(
                        1, processors - number(environment.get(RESERVATION), DEFAULT_RESERVATION));
    }

    private static int number(String text, int otherwise) {
        try {
            return text == null ? otherwise : Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
