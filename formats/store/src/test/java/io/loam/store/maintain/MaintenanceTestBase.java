package io.loam.store.maintain;

import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.MaintenanceOutcome.Fate;
import io.loam.store.object.ParallelIo;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection, its writer, and side jobs on it step by step; the metastore is SQLite's. */
abstract class MaintenanceTestBase {
    @TempDir Path dir;
    TestCollection collection;
    TestWriter writer;
    LinkApplyCommitter apply;

    @BeforeEach
    void create() throws IOException {
        start(new TestCollection(dir, 2));
    }

    void start(TestCollection made) throws IOException {
        collection = made;
        writer = collection.writer();
        apply = new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    interface Work {
        void run() throws IOException;
    }

    static Runnable unchecked(Work work) {
        return () -> {
            try {
                work.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    LanceManifest rowVersion() throws IOException {
        return collection.open().rowVersions().read(live(), ParallelIo.inOrder());
    }

    void verified() throws IOException {
        assertThat(collection.verify().violations()).isEmpty();
    }

    long apply() throws IOException {
        CollectionCommittable checkpoint = writer.checkpoint(1);
        return ((CommitOutcome.Committed) apply.commit(checkpoint, false)).version();
    }

    FinishedWork run(MaintenanceOptions options, MaintenanceTask task) throws IOException {
        Path work = Files.createDirectories(dir.resolve("work"));
        FinishedWork done = new CollectionTaskRunner(collection.open(), options, work).run(task);
        assertThat(work).isEmptyDirectory();
        return done;
    }

    /**
     * @param task whose lease it is published under
     */
    MaintenanceOutcome publish(MaintenanceOptions options, String task, FinishedWork... works)
            throws IOException {
        CollectionHandle handle = collection.open();
        String key = TaskKeys.lease(task);
        try (MaintenanceLease lease =
                        MaintenanceLease.acquire(handle.metastore(), key, options).orElseThrow();
                MaintenanceCommitter committer =
                        new MaintenanceCommitter(
                                handle, options, lease, ParallelIo.inOrder(), ms -> {})) {
            return committer.publish(List.of(works));
        }
    }

    /** The collection is dropped just before the work is published, which is tried twice. */
    void requireDroppedIsAbandoned(MaintenanceOptions options, FinishedWork work)
            throws IOException {
        CollectionHandle handle = collection.open();
        CollectionHandle other = collection.open();
        MaintenanceLease lease =
                MaintenanceLease.acquire(handle.metastore(), "task/x", options).orElseThrow();
        MaintenanceCommitter committer =
                new MaintenanceCommitter(handle, options, lease, ParallelIo.inOrder(), ms -> {});
        collection.faults.onceRun(
                "swapPointer",
                unchecked(() -> other.metastore().dropCollection(other.info().id())));
        requireAbandoned(committer.publish(List.of(work)), "the collection was dropped");
        requireAbandoned(committer.publish(List.of(work)), "the collection was dropped");
    }

    static void requirePublished(MaintenanceOutcome outcome, long version) {
        assertThat(outcome.works())
                .isNotEmpty()
                .allSatisfy(
                        result ->
                                assertThat(result.fate())
                                        .as(result.text())
                                        .isEqualTo(Fate.PUBLISHED));
        assertThat(outcome.version()).isEqualTo(version);
    }

    static void requireAbandoned(MaintenanceOutcome outcome, String text) {
        requireNothing(outcome, Fate.ABANDONED, text);
    }

    static void requireNothing(MaintenanceOutcome outcome, Fate fate, String text) {
        assertThat(outcome.version()).isZero();
        assertThat(outcome.works())
                .singleElement()
                .satisfies(
                        result -> {
                            assertThat(result.fate()).isEqualTo(fate);
                            assertThat(result.text()).contains(text);
                        });
    }
}
