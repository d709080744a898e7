package io.loam.flink.connector.table;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A few threads of an asynchronous function. */
final class LookupThreads implements AutoCloseable {
    static final int THREADS = 4;

    private final ExecutorService threads;

    LookupThreads(String name) {
        this.threads =
                Executors.newFixedThreadPool(
                        THREADS,
                        work -> {
                            Thread thread = new Thread(work, name);
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    <T> CompletableFuture<T> start(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(
                () -> {
                    try {
                        result.complete(work.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                });
        return result;
    }

    /** Ends the work that runs, and drops what waits: nobody awaits it any more. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
