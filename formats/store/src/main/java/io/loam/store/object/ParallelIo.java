package io.loam.store.object;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A few threads that read small independent objects side by side. */
public final class ParallelIo implements AutoCloseable {
    private static final int THREADS = 16;
    private static final long IDLE_SECONDS = 30;

    private final ExecutorService threads;

    /** Work that may fail with an I/O error. */
    public interface Task<T, R> {
        R run(T input) throws IOException;
    }

    public ParallelIo(String name) {
        this(threads(name));
    }

    /**
     * As many as there is work for, up to a bound; those that have nothing to do for a while end.
     */
    private static ExecutorService threads(String name) {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        work -> {
                            Thread thread = new Thread(work, name);
                            thread.setDaemon(true);
                            return thread;
                        });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private ParallelIo(ExecutorService threads) {
        this.threads = threads;
    }

    /** Reads one after the other on the caller's thread, so that their order is always the same. */
    public static ParallelIo inOrder() {
        return new ParallelIo(new CallerThread());
    }

    /** A result that may still be on its way. */
    public interface Awaited<R> {
        /** Waits for the result; throws what the work threw. */
        R get() throws IOException;
    }

    /** Starts work beside the caller. */
    public <T, R> Awaited<R> start(T input, Task<T, R> task) {
        Future<R> running = threads.submit(() -> task.run(input));
        return () -> {
            try {
                return running.get();
            } catch (ExecutionException e) {
                rethrow(e.getCause());
                throw new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while reading objects");
            }
        };
    }

    /**
     * Results, which may be null, in the order of the inputs; the first failure is thrown once all
     * have ended.
     */
    public <T, R> List<R> map(List<T> inputs, Task<T, R> task) throws IOException {
        if (inputs.size() == 1) {
            return Collections.singletonList(task.run(inputs.get(0)));
        }
        List<Future<R>> running = new ArrayList<>();
        for (T input : inputs) {
            running.add(threads.submit(() -> task.run(input)));
        }
        List<R> results = new ArrayList<>();
        Throwable failure = null;
        for (Future<R> one : running) {
            try {
                results.add(one.get());
            } catch (ExecutionException e) {
                failure = failure == null ? e.getCause() : failure;
            } catch (InterruptedException e) {
                running.forEach(other -> other.cancel(true));
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while reading objects");
            }
        }
        rethrow(failure);
        return results;
    }

    private static void rethrow(Throwable failure) throws IOException {
        if (failure instanceof IOException) {
            throw (IOException) failure;
        }
        if (failure instanceof RuntimeException) {
            throw (RuntimeException) failure;
        }
        if (failure instanceof Error) {
            throw (Error) failure;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
