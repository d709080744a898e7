package io.loam.store.maintain;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.object.ParallelIo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
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
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A collection, its writer, and merges of its splits step by step. */
abstract class MergeTestBase {
    static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("merger/01")
                    .withMerge(MergePolicy.DEFAULT.withFactors(2, 4).withPurge(1, 300_000))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withRowsPerRead(3);

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

    List<SplitRef> splits() throws IOException {
        return live().splits();
    }

    void verified() throws IOException {
        assertThat(collection.verify().violations()).isEmpty();
    }

    long apply() throws IOException {
        CollectionCommittable checkpoint = writer.checkpoint(1);
        return ((CommitOutcome.Committed) apply.commit(checkpoint, false)).version();
    }

    /** So many splits of four documents, with keys from 0. */
    void fill(int splits) throws IOException {
        for (int key = 0; key < 4 * splits; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
            if (key % 4 == 3) {
                apply();
            }
        }
    }

    MergeSplits mergeOfAll() throws IOException {
        return new MergeSplits(splits().stream().map(SplitRef::ulid).toList());
    }

    MergedSplits run(MaintenanceTask task) throws IOException {
        Path work = Files.createDirectories(dir.resolve("work"));
        MergedSplits done =
                (MergedSplits) new CollectionTaskRunner(collection.open(), OPTIONS, work).run(task);
        assertThat(work).isEmptyDirectory();
        return done;
    }

    MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, works);
    }

    MaintenanceOutcome publish(MaintenanceOptions options, FinishedWork... works)
            throws IOException {
        return publish(options, TaskKeys.mergeSplits(live().collectionId()), works);
    }

    /** As somebody who does not hold the lease of merges. */
    MaintenanceOutcome publishAsRival(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.compact(live().collectionId()), works);
    }

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

    static void requirePublished(MaintenanceOutcome outcome, long version) {
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsOnly(MaintenanceOutcome.Fate.PUBLISHED);
        assertThat(outcome.version()).isEqualTo(version);
    }

    static void requireNothing(
            MaintenanceOutcome outcome, MaintenanceOutcome.Fate fate, String text) {
        assertThat(outcome.version()).isZero();
        assertThat(outcome.works())
                .singleElement()
                .satisfies(
                        result -> {
                            assertThat(result.fate()).isEqualTo(fate);
                            assertThat(result.text()).contains(text);
                        });
    }

    List<Long> keys() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            return Stream.iterate(0L, key -> key < 40, key -> key + 1)
                    .filter(key -> isThere(reader, key))
                    .toList();
        }
    }

    static boolean isThere(CollectionReader reader, long key) {
        try {
            return reader.get(PrimaryKey.ofU64(key), Projection.SOURCES)
                    .map(row -> Json.text(Json.parseObject(row.source())))
                    .isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
