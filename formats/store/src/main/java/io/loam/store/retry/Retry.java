package io.loam.store.retry;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** Counts the attempts of operations and waits between them. May be used from any thread. */
public final class Retry {
    private static final Logger LOG = LoggerFactory.getLogger(Retry.class);

    private final RetryOptions options;
    private final Pause pause;
    private final DoubleSupplier random;

    public Retry(RetryOptions options, Pause pause, DoubleSupplier random) {
        this.options = options;
        this.pause = pause;
        this.random = random;
    }

    public static Retry of(RetryOptions options) {
        return new Retry(options, Pause.real(), () -> ThreadLocalRandom.current().nextDouble());
    }

    /** Starts to count the attempts of one operation. */
    public Attempts begin(String operation) {
        return new Attempts(operation);
    }

    /** The attempts of one operation. */
    public final class Attempts {
        private final String operation;
        private int failed;

        private Attempts(String operation) {
            this.operation = operation;
        }

        /** How many attempts have failed. */
        public int failed() {
            return failed;
        }

        /** What became of them all, for the error that ends them. */
        public String summary(Exception last) {
            return operation
                    + " failed "
                    + failed
                    + (failed == 1 ? " time: " : " times: ")
                    + last.getMessage();
        }

        /**
         * After a failure: waits and says whether to try again. A thread that is told to stop does
         * not.
         */
        public boolean again(Exception failure) {
            failed++;
            if (failed >= options.attempts() || Thread.currentThread().isInterrupted()) {
                return false;
            }
            long ms = options.pauseMs(failed, random.getAsDouble());
            LOG.warn(
                    "{} failed, attempt {} of {}; trying again in {} ms: {}",
                    operation,
                    failed,
                    options.attempts(),
                    ms,
                    failure.toString());
            try {
                pause.of(ms);
                return true;
            } catch (IOException interrupted) {
                failure.addSuppressed(interrupted);
                return false;
            }
        }
    }
}
