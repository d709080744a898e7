package io.loam.flink.operators.maintain;

import io.loam.flink.operators.Resources;
import io.loam.store.Warehouse;

import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.util.function.ThrowingConsumer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Works in threads of its own and goes on in the task's thread with what came out, so that barriers
 * and cancellation never wait for work. At the end of the input it waits for all of it.
 */
abstract class BackgroundOperator<T> extends AbstractStreamOperator<T> {
    private static final long serialVersionUID = 1L;

    /** How long closing waits for a call that cannot be interrupted. */
    private static final long JOIN_MS = 10_000;

    private final WarehouseOpener opener;
    private final String threadName;
    private final int threadCount;

    private transient Warehouse warehouse;
    private transient MailboxExecutor mailbox;
    private transient ExecutorService threads;
    private transient int pending;

    BackgroundOperator(WarehouseOpener opener, String threadName, int threadCount) {
        this.opener = opener;
        this.threadName = threadName;
        this.threadCount = threadCount;
    }

    @Override
    public void open() throws Exception {
        super.open();
        warehouse = opener.open();
        mailbox =
                getContainingTask()
                        .getMailboxExecutorFactory()
                        .createExecutor(getOperatorConfig().getChainIndex());
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        String name = threadName + "-" + getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        threads =
                Executors.newFixedThreadPool(
                        threadCount,
                        task -> {
                            Thread made = new Thread(task, name);
                            made.setDaemon(true);
                            made.setContextClassLoader(loader);
                            return made;
                        });
        getMetricGroup().gauge("pendingWork", () -> pending);
    }

    Warehouse warehouse() {
        return warehouse;
    }

    /**
     * Runs work in a thread, then the rest in the task's.
     *
     * @param work failures that are to be expected are part of its result; one that it throws fails
     *     the task
     */
    <R> void inBackground(Callable<R> work, ThrowingConsumer<R, Exception> then) {
        pending++;
        threads.execute(
                () -> {
                    try {
                        R result = work.call();
                        post(() -> then.accept(result));
                    } catch (Throwable e) { // errors, too, must end the wait for this work
                        post(
                                () -> {
                                    throw e instanceof Exception
                                            ? (Exception) e
                                            : new IllegalStateException(e);
                                });
                    }
                });
    }

    private interface Step {
        void run() throws Exception;
    }

    private void post(Step step) {
        try {
            mailbox.execute(
                    () -> {
                        pending--;
                        step.run();
                    },
                    threadName);
        } catch (RejectedExecutionException e) {
            LOG.debug("what came of {} is not needed any more", threadName, e); // closing
        }
    }

    @Override
    public void finish() throws Exception {
        while (pending > 0) {
            mailbox.yield();
        }
        super.finish();
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            boolean cancelled = Thread.interrupted(); // calls of the stores would not begin
            Resources.close(this::stopThreads, this::releaseAll, warehouse);
            if (cancelled) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives up what is held, after the threads have ended and before the warehouse is closed. */
    void releaseAll() {}

    private void stopThreads() throws InterruptedException {
        if (threads == null) {
            return;
        }
        threads.shutdownNow();
        if (!threads.awaitTermination(JOIN_MS, TimeUnit.MILLISECONDS)) {
            LOG.warn(
                    "{} is still in a call after {} ms; it ends when that returns",
                    threadName,
                    JOIN_MS);
        }
    }
}
