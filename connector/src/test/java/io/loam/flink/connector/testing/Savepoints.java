package io.loam.flink.connector.testing;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.util.ExceptionUtils;
import org.awaitility.Awaitility;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Savepoints of jobs, some tasks of which may not run yet. */
public final class Savepoints {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private Savepoints() {}

    /**
     * Stops a job with a savepoint as soon as all of it runs.
     *
     * @param drain ends its sources as if their input had ended
     * @return the savepoint's path
     */
    public static String stop(JobClient job, boolean drain, Path directory) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsMatching(Savepoints::saysThatTasksDoNotRunYet)
                .until(
                        () ->
                                job.stopWithSavepoint(
                                                drain,
                                                directory.toUri().toString(),
                                                SavepointFormatType.CANONICAL)
                                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                        Objects::nonNull);
    }

    /** Nothing is stopped then, and the job goes on. */
    private static boolean saysThatTasksDoNotRunYet(Throwable failure) {
        String text = ExceptionUtils.stringifyException(failure);
        return text.contains("not being executed at the moment")
                || text.contains("Not all required tasks are currently running");
    }
}
