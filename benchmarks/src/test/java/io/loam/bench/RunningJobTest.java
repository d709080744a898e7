package io.loam.bench;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.util.SerializedThrowable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class RunningJobTest {
    private final CompletableFuture<JobResult> end = new CompletableFuture<>();
    private final RunningJob job = RunningJob.of("load", end, () -> {});

    @Test
    void aJobThatFailsEndsTheWaitingWithItsCause() {
        failIn(20, end);
        assertThatThrownBy(() -> job.await("its first commit", 1, () -> false))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("disk full");
    }

    @Test
    void aJobThatEndsBeforeWhatIsWaitedForEndsTheWaiting() {
        end.complete(result(null));
        assertThatThrownBy(() -> job.await("its first commit", 1, () -> false))
                .isInstanceOf(IOException.class)
                .hasMessage("the job \"load\" ended before its first commit");
    }

    @Test
    void whatAJobDidBeforeItEndedIsSeen() throws Exception {
        end.complete(result(null));
        job.await("its first commit", 1, () -> true);
        job.finish();
    }

    @Test
    void whatIsReachedWhileTheJobRunsEndsTheWaiting() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        job.await("three looks", 1, () -> looks.incrementAndGet() == 3);
        assertThat(looks).hasValue(3);
    }

    @Test
    void aJobThatFailsBesideEndsTheWaitingAndTheFinishing() {
        CompletableFuture<JobResult> other = new CompletableFuture<>();
        job.beside(RunningJob.of("maintenance", other, () -> {}));
        failIn(20, other);
        assertThatThrownBy(() -> job.await("its first commit", 1, () -> false))
                .hasRootCauseMessage("disk full");
        assertThatThrownBy(job::finish).hasRootCauseMessage("disk full");
    }

    @Test
    void aJobThatEndsBesideEndsTheFinishing() {
        CompletableFuture<JobResult> other = new CompletableFuture<>();
        job.beside(RunningJob.of("maintenance", other, () -> {}));
        other.complete(result(null));
        assertThatThrownBy(job::finish)
                .hasMessage("the job \"maintenance\" ended before the job \"load\"");
    }

    @Test
    void theCauseOfAFailureIsTheJobsOwnIfItHasFailed() throws Exception {
        Exception failure = new IOException("the checkpoint was declined");
        end.complete(result(new IllegalStateException("disk full")));
        assertThat(job.causeOr(failure)).hasRootCauseMessage("disk full");
        RunningJob well =
                RunningJob.of("load", CompletableFuture.completedFuture(result(null)), () -> {});
        assertThat(well.causeOr(failure)).isSameAs(failure);
    }

    private static void failIn(int ms, CompletableFuture<JobResult> end) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                Thread.sleep(ms);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            end.complete(result(new IllegalStateException("disk full")));
                        });
        thread.setDaemon(true);
        thread.start();
    }

    private static JobResult result(Exception failure) {
        JobResult.Builder builder =
                new JobResult.Builder()
                        .jobId(new JobID())
                        .jobStatus(failure == null ? JobStatus.FINISHED : JobStatus.FAILED)
                        .netRuntime(1);
        if (failure != null) {
            builder.serializedThrowable(new SerializedThrowable(failure));
        }
        return builder.build();
    }
}
