package io.loam.bench;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.util.SerializedThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A job that an arm waits for. If it ends before it has done what is waited for, or one that has to
 * run beside it does, the arm ends at once, with the cause.
 */
public final class RunningJob {
    private static final long CAUSE_SECONDS = 10;

    private final String name;
    private final CompletableFuture<?> end;
    private final Canceller canceller;
    private final List<RunningJob> beside = new ArrayList<>();

    private RunningJob(String name, CompletableFuture<?> end, Canceller canceller) {
        this.name = name;
        this.end = end;
        this.canceller = canceller;
    }

    /** Of the cluster that was made for it. */
    public static RunningJob of(String name, JobClient client) {
        return new RunningJob(name, client.getJobExecutionResult(), () -> client.cancel().get());
    }

    /** Of a cluster that outlives it. */
    public static RunningJob of(
            String name, CompletableFuture<JobResult> result, Canceller canceller) {
        return new RunningJob(name, result.thenAccept(RunningJob::check), canceller);
    }

    private static void check(JobResult result) {
        result.getSerializedThrowable().ifPresent(RunningJob::fail);
    }

    private static void fail(SerializedThrowable cause) {
        throw new CompletionException(cause.deserializeError(RunningJob.class.getClassLoader()));
    }

    /** Tells a job to end. */
    @FunctionalInterface
    public interface Canceller {
        void cancel() throws Exception;
    }

    /** Something a job does. */
    @FunctionalInterface
    public interface Condition {
        boolean reached() throws Exception;
    }

    /** Without the other job, which never ends by itself, this one's times mean nothing. */
    public RunningJob beside(RunningJob other) {
        beside.add(other);
        return this;
    }

    /**
     * Waits until something is so.
     *
     * @param what names it in messages
     * @throws ExecutionException if a job fails before, with its cause
     * @throws IOException if one ends before
     */
    public void await(String what, long lookMs, Condition condition) throws Exception {
        while (true) {
            // Asked first: what an ended job has done can be seen by now.
            boolean over = end.isDone() || beside.stream().anyMatch(job -> job.end.isDone());
            if (condition.reached()) {
                return;
            }
            if (over) {
                throw ended(what);
            }
            Thread.sleep(lookMs);
        }
    }

    private IOException ended(String before) throws Exception {
        for (RunningJob job : beside) {
            if (job.end.isDone()) {
                return job.ended(before);
            }
        }
        end.get();
        return new IOException("the job \"" + name + "\" ended before " + before);
    }

    /** Waits until it has ended well. */
    public void finish() throws Exception {
        List<CompletableFuture<?>> ends = new ArrayList<>(List.of(end));
        beside.forEach(job -> ends.add(job.end));
        CompletableFuture.anyOf(ends.toArray(CompletableFuture<?>[]::new))
                .exceptionally(failure -> null) // told below
                .get();
        for (RunningJob job : beside) {
            if (job.end.isDone()) {
                throw job.ended("the job \"" + name + "\"");
            }
        }
        end.get();
    }

    /**
     * What is behind a failure that the job's own may have caused.
     *
     * @return the failure itself if the job goes on
     */
    public Exception causeOr(Exception failure) throws InterruptedException {
        try {
            end.get(CAUSE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e;
        } catch (TimeoutException e) {
            return failure;
        }
        return failure;
    }

    public void cancel() throws Exception {
        canceller.cancel();
    }
}
