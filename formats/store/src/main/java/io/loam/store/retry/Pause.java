package io.loam.store.retry;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Waiting, so that tests need not. */
public interface Pause {
    /**
     * @throws InterruptedIOException if the thread is told to stop; it stays interrupted
     */
    void of(long ms) throws IOException;

    static Pause real() {
        return ms -> {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting to try again");
            }
        };
    }
}
