package io.loam.store.commit;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Waiting, so that tests need not. */
interface Pause {
    void of(long ms) throws IOException;

    static Pause real() {
        return ms -> {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting to commit");
            }
        };
    }
}
