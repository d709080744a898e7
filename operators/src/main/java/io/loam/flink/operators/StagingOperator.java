package io.loam.flink.operators;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.staged.StagedUnit;
import io.loam.store.CollectionHandle;
import io.loam.store.FailPoint;
import io.loam.store.LocalFiles;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What staging needs in every kind of execution: the opened collection, row ids, a directory, the
 * thread that builds units. Kinds differ in where the index comes from and when units are staged.
 */
abstract class StagingOperator extends AbstractStreamOperator<CollectionElement>
        implements OneInputStreamOperator<CollectionElement, CollectionElement> {
    private static final long serialVersionUID = 1L;

    private final CollectionOpener opener;
    private final StageOptions options;
    private final JobType execution;
    final Ulid incarnation;

    private transient OpenedCollection opened;
    private transient Path directory;
    private transient RowReader reader;
    private transient UnitWorker worker;
    private transient RowIdAllocator ids;
    private transient Stager stager;

    StagingOperator(
            CollectionOpener opener, Ulid incarnation, StageOptions options, JobType execution) {
        this.opener = opener;
        this.incarnation = incarnation;
        this.options = options;
        this.execution = execution;
    }

    @Override
    public void open() throws Exception {
        super.open();
        JobType job = getContainingTask().getEnvironment().getJobType();
        if (job != execution) {
            throw new SuppressRestartsException(
                    new IllegalStateException(
                            "the sink was built for "
                                    + execution
                                    + " execution, but the job runs as "
                                    + job
                                    + "; set execution.runtime-mode to one of them instead of"
                                    + " AUTOMATIC"));
        }
        CheckpointingRules.checkRunning(this);
        opened = opener.open();
    }

    CollectionHandle collection() {
        return opened.collection();
    }

    TaskInfo task() {
        return getRuntimeContext().getTaskInfo();
    }

    /**
     * Gets ready for elements.
     *
     * @param restoredCheckpoint 0 for none
     */
    void openStaging(
            KeyIndex index, UncommittedUnits uncommitted, long restoredCheckpoint, StageTimes times)
            throws IOException {
        ids = allocator(restoredCheckpoint);
        times.register(getMetricGroup());
        directory = makeDirectory();
        worker =
                new UnitWorker(
                        collection(),
                        new UnitUploader(collection().objects(), collection().paths(), incarnation),
                        options,
                        directory,
                        times,
                        "loam-units-" + task().getIndexOfThisSubtask());
        reader = new RowReader(collection(), uncommitted);
        stager = new Stager(collection(), index, ids, uncommitted, reader, worker, options, times);
        getMetricGroup().gauge("numDeadLetters", stager::turnedAway);
        getMetricGroup().gauge("uncommittedUnits", uncommitted::size);
    }

    private RowIdAllocator allocator(long restoredCheckpoint) throws IOException {
        CollectionManifest live = collection().live().manifest();
        String highestKey = ManifestProperties.HIGHEST_PREFIX + incarnation;
        long highest =
                live.properties().containsKey(highestKey)
                        ? ManifestProperties.number(live.properties(), highestKey)
                        : 0;
        long arena = Math.max(restoredCheckpoint, highest) + 1;
        long base =
                collection()
                        .metastore()
                        .rowIdBase(
                                collection().info().id(),
                                incarnation,
                                arena,
                                live.rowIdHighWater());
        FailPoint.ROW_IDS.reach();
        return new RowIdAllocator(
                base,
                task().getIndexOfThisSubtask(),
                task().getNumberOfParallelSubtasks(),
                arena,
                execution == JobType.BATCH);
    }

    private Path makeDirectory() throws IOException {
        Path parent =
                options.directory() != null
                        ? Path.of(options.directory())
                        : Path.of(
                                getContainingTask()
                                        .getEnvironment()
                                        .getIOManager()
                                        .getSpillingDirectoriesPaths()[0]);
        Files.createDirectories(parent);
        return Files.createTempDirectory(
                parent, "loam-stage-" + task().getIndexOfThisSubtask() + "-");
    }

    /** Takes an operation or a letter. */
    void stage(CollectionElement element) throws IOException, InterruptedException {
        stager.add(element);
    }

    /** Progress is of stream mode only. */
    void requireOffsets(CollectionElement progress) {
        stager.requireOffsets(progress);
    }

    /** Stages all that came, and returns the units of it. */
    List<StagedUnit> flush() throws IOException, InterruptedException {
        return stager.flush();
    }

    /** Row ids from now on are those of a later checkpoint. */
    void enterArena(long arena) {
        ids.enter(arena);
    }

    /**
     * Forgets uncommitted units that are published by now. That can wait, and is nothing to fail
     * for.
     */
    void prune() {
        try {
            reader.prune();
        } catch (IOException e) {
            LOG.warn("which staged units are published could not be read", e);
        }
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            Resources.close(worker, reader, opened, this::deleteDirectory);
        }
    }

    private void deleteDirectory() throws IOException {
        if (directory != null) {
            LocalFiles.delete(directory);
        }
    }
}
