package io.loam.flink.connector;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Input that never rests, so that every checkpoint has something to commit; until it is closed. */
final class Traffic implements AutoCloseable {
    private static final long PAUSE_MS = 20;

    /** Sends some operations. */
    interface Wave {
        void send() throws Exception;
    }

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CompletableFuture<Void> sending = new CompletableFuture<>();
    private volatile boolean closed;

    Traffic(Wave wave) {
        this(wave, PAUSE_MS);
    }

    Traffic(Wave wave, long pauseMs) {
        thread.execute(
                () -> {
                    try {
                        while (!closed) {
                            wave.send();
                            Thread.sleep(pauseMs);
                        }
                        sending.complete(null);
                    } catch (Throwable e) {
                        sending.completeExceptionally(e);
                    }
                });
        thread.shutdown();
    }

    /** Nothing is sent after this; fails if sending did. */
    @Override
    public void close() throws Exception {
        closed = true;
        sending.get(10, TimeUnit.MINUTES);
    }
}
