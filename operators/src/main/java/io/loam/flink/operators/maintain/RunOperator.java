package io.loam.flink.operators.maintain;

import io.loam.store.CollectionHandle;
import io.loam.store.LocalFiles;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.TaskResult;

import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

import javax.annotation.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs tasks in threads of its own. Whatever happens to one is its result; only errors of the JVM
 * fail the operator.
 */
@Internal
public final class RunOperator extends BackgroundOperator<RoundPart>
        implements OneInputStreamOperator<TaskOrder, RoundPart> {
    private static final long serialVersionUID = 1L;

    private final MaintenanceOptions options;
    @Nullable private final String workDirectory;
    private transient Path directory;
    private transient Counter finished;
    private transient Counter obsolete;
    private transient Counter failed;

    /**
     * @param threads tasks of one subtask that run at once
     * @param workDirectory where files are built; null for the task manager's temporary directory
     */
    public RunOperator(
            WarehouseOpener opener,
            MaintenanceOptions options,
            int threads,
            @Nullable String workDirectory) {
        super(opener, "loam-maintenance-run", threads);
        this.options = options;
        this.workDirectory = workDirectory;
    }

    @Override
    public void open() throws Exception {
        super.open();
        finished = getMetricGroup().counter("numTasksFinished");
        obsolete = getMetricGroup().counter("numTasksObsolete");
        failed = getMetricGroup().counter("numTasksFailed");
        Path parent =
                Path.of(
                        workDirectory != null
                                ? workDirectory
                                : getContainingTask()
                                        .getEnvironment()
                                        .getIOManager()
                                        .getSpillingDirectoriesPaths()[0]);
        Files.createDirectories(parent);
        directory = Files.createTempDirectory(parent, "loam-maintenance-");
    }

    @Override
    public void processElement(StreamRecord<TaskOrder> element) {
        TaskOrder order = element.getValue();
        inBackground(() -> run(order), this::emit);
    }

    private RoundPart run(TaskOrder order) throws InterruptedIOException {
        TaskResult result;
        try (CollectionHandle handle = warehouse().open(order.collectionId())) {
            result =
                    TaskResult.of(
                            order.task(), new CollectionTaskRunner(handle, options, directory));
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            result = TaskResult.failed(order.task(), e);
        }
        return new RoundPart(order.round(), result);
    }

    private void emit(RoundPart part) {
        TaskResult result = part.result();
        (result.work() != null ? finished : result.obsolete() ? obsolete : failed).inc();
        output.collect(new StreamRecord<>(part));
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            if (directory != null) {
                LocalFiles.delete(directory);
            }
        }
    }
}
