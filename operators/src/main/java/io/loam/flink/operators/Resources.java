package io.loam.flink.operators;

import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.annotation.Nullable;

/**
 * Closes what an operator has opened. Flink closes the operators of a task that failed or was
 * cancelled in its last resort: an exception from there ends the whole task manager, and with it
 * the tasks of every other job on it. That something did not close well is therefore logged only.
 */
@Internal
public final class Resources {
    private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

    private Resources() {}

    /** Closes each, in this order; null for what was never opened. */
    public static void close(@Nullable AutoCloseable... resources) {
        for (AutoCloseable resource : resources) {
            try {
                if (resource != null) {
                    resource.close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                LOG.warn("{} did not close well", resource.getClass().getSimpleName(), e);
            }
        }
    }
}
