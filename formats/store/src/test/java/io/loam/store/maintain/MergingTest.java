package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcOptions;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.object.ParallelIo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.MaintenanceCommit;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roaringbitmap.RoaringBitmap;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Merges and whoever comes between plan, build and commit, on the real metastore in SQLite. */
class MergingTest {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("merger/01")
                    .withMerge(MergePolicy.DEFAULT.withFactors(2, 4).withPurge(1, 300_000))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withRowsPerRead(3);

    @TempDir Path dir;
    private TestCollection collection;
    private TestWriter writer;
    private LinkApplyCommitter apply;

    @BeforeEach
    void create() throws IOException {
        start(new TestCollection(dir, 2));
    }

    private void start(TestCollection made) throws IOException {
        collection = made;
        writer = collection.writer();
        apply = new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Runnable unchecked(Work work) {
        return () -> {
            try {
                work.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    private List<SplitRef> splits() throws IOException {
        return live().splits();
    }

    private void verified() throws IOException {
        assertThat(collection.verify().violations()).isEmpty();
    }

    private long apply() throws IOException {
        CollectionCommittable checkpoint = writer.checkpoint(1);
        return ((CommitOutcome.Committed) apply.commit(checkpoint, false)).version();
    }

    /** So many splits of four documents, with keys from 0. */
    private void fill(int splits) throws IOException {
        for (int key = 0; key < 4 * splits; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
            if (key % 4 == 3) {
                apply();
            }
        }
    }

    private MergeSplits mergeOfAll() throws IOException {
        return new MergeSplits(splits().stream().map(SplitRef::ulid).toList());
    }

    private MergedSplits run(MaintenanceTask task) throws IOException {
        Path work = Files.createDirectories(dir.resolve("work"));
        MergedSplits done =
                (MergedSplits) new CollectionTaskRunner(collection.open(), OPTIONS, work).run(task);
        assertThat(work).isEmptyDirectory();
        return done;
    }

    private MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, works);
    }

    private MaintenanceOutcome publish(MaintenanceOptions options, FinishedWork... works)
            throws IOException {
        return publish(options, TaskKeys.mergeSplits(live().collectionId()), works);
    }

    /** As somebody who does not hold the lease of merges. */
    private MaintenanceOutcome publishAsRival(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.compact(live().collectionId()), works);
    }

    private MaintenanceOutcome publish(
            MaintenanceOptions options, String task, FinishedWork... works) throws IOException {
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

    private static void requirePublished(MaintenanceOutcome outcome, long version) {
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsOnly(MaintenanceOutcome.Fate.PUBLISHED);
        assertThat(outcome.version()).isEqualTo(version);
    }

    private static void requireNothing(
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

    private List<Long> keys() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            return Stream.iterate(0L, key -> key < 40, key -> key + 1)
                    .filter(key -> isThere(reader, key))
                    .toList();
        }
    }

    private static boolean isThere(CollectionReader reader, long key) {
        try {
            return reader.get(PrimaryKey.ofU64(key), Projection.SOURCES)
                    .map(row -> Json.text(Json.parseObject(row.source())))
                    .isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void oneSplitTakesThePlaceOfItsInputs() throws IOException {
        fill(4);
        collection.delete(1);
        collection.upsert(6, "{\"n\":60}");
        apply();
        CollectionManifest before = live();
        List<SplitRef> inputs = before.splits().subList(1, 3);

        MergedSplits merged = run(new MergeSplits(inputs.stream().map(SplitRef::ulid).toList()));
        requirePublished(publish(merged), before.version() + 1);

        CollectionManifest after = live();
        assertThat(after.splits())
                .extracting(SplitRef::ulid)
                .containsExactly(
                        before.splits().get(0).ulid(),
                        merged.split().ulid(),
                        before.splits().get(3).ulid(),
                        before.splits().get(4).ulid());
        SplitRef split = after.splits().get(1);
        assertThat(split.docCount()).isEqualTo(7);
        assertThat(split.deletedCount()).isZero();
        assertThat(split.mergeOps()).isEqualTo(1);
        assertThat(split.createdAtMs()).isEqualTo(after.createdAtMs());
        assertThat(split.ranges()).hasSize(2); // around the row that was replaced
        assertThat(after.kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(after.lanceVersion()).isEqualTo(before.lanceVersion());
        assertThat(after.applied()).isEqualTo(before.applied());
        assertThat(after.liveDocCount()).isEqualTo(before.liveDocCount());
        assertThat(after.rowIdHighWater()).isEqualTo(before.rowIdHighWater());
        assertThat(after.pkDelta()).isEmpty();
        assertThat(after.properties())
                .containsEntry(
                        ManifestProperties.COMMIT_ID,
                        before.properties().get(ManifestProperties.COMMIT_ID))
                .doesNotContainKey(ManifestProperties.PK_DELTA);
        verified();
    }

    @Test
    void mergesOfMergesCountAndWritersGoOn() throws IOException {
        fill(2);
        requirePublished(publish(run(mergeOfAll())), 3);
        collection.upsert(1, "{\"n\":11}");
        collection.upsert(30, "{\"n\":30}");
        assertThat(apply()).isEqualTo(4);
        requirePublished(publish(run(mergeOfAll())), 5);
        assertThat(splits())
                .singleElement()
                .satisfies(
                        split -> {
                            assertThat(split.mergeOps()).isEqualTo(2);
                            assertThat(split.docCount()).isEqualTo(9);
                        });
        collection.delete(30);
        assertThat(apply()).isEqualTo(6);
        verified();
        assertThat(keys()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void historyAndGarbageCollectionKnowTheMerge() throws IOException {
        fill(3);
        MergedSplits merged = run(mergeOfAll());
        publish(merged);
        HistoryRow row = History.of(collection.open()).rows().get(0);
        assertThat(row.derived()).isFalse();
        assertThat(row.kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(row.actor()).isEqualTo("merger");
        assertThat(row.description())
                .matches(
                        "merge 3 splits of 12 documents \\(0 deleted\\), \\d+ bytes into "
                                + merged.split().ulid()
                                + " of 12 documents \\(0 deleted\\), \\d+ bytes");
        String descriptor = collection.open().paths().stagedDescriptor(merged.unit());
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            assertThat(collector.plan().verdicts())
                    .filteredOn(verdict -> verdict.path().equals(descriptor))
                    .singleElement()
                    .satisfies(verdict -> assertThat(verdict.fate()).isEqualTo(Fate.PUBLISHED));
        }
    }

    @Test
    void severalWorksOfARoundAreOneVersion() throws IOException {
        fill(6);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        MergedSplits late = run(new MergeSplits(ids.subList(4, 6)));
        MergedSplits early = run(new MergeSplits(List.of(ids.get(0), ids.get(2))));
        requirePublished(publish(late, early), 7);
        assertThat(splits())
                .extracting(SplitRef::ulid)
                .containsExactly(early.split().ulid(), ids.get(1), ids.get(3), late.split().ulid());
        assertThat(History.of(collection.open()).rows())
                .filteredOn(row -> row.version() == 7)
                .hasSize(2);
        verified();
    }

    @Test
    void documentsDeletedSinceTheBuildStayDeleted() throws IOException {
        fill(2);
        collection.delete(0);
        apply();
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        apply();

        requirePublished(publish(merged), 5);

        SplitRef split = splits().get(0);
        assertThat(split.ulid()).isEqualTo(merged.split().ulid());
        assertThat(split.docCount()).isEqualTo(7);
        assertThat(split.deletedCount()).isEqualTo(2);
        assertThat(split.deleteBitmap()).isNotEmpty();
        assertThat(keys()).containsExactly(2L, 3L, 4L, 5L, 6L, 7L);
        verified();
    }

    @Test
    void documentsDeletedJustBeforeTheSwapStayDeleted() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));

        requirePublished(publish(merged), 4);

        assertThat(splits().get(0).deletedCount()).isEqualTo(2);
        assertThat(History.of(collection.open()).rows().get(0).attempt()).isEqualTo(1);
        assertThat(keys()).containsExactly(0L, 2L, 3L, 4L, 5L, 6L, 7L);
        verified();
    }

    @Test
    void anApplyCommitThatLosesToAMergeDeletesInTheMergedSplit() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publish(merged), 3)));

        assertThat(apply.commit(checkpoint, false)).isEqualTo(new CommitOutcome.Committed(4));

        assertThat(splits().get(0).ulid()).isEqualTo(merged.split().ulid());
        assertThat(splits().get(0).deletedCount()).isEqualTo(2);
        verified();
    }

    @Test
    void whereNoDocumentIsLeftNoSplitIs() throws IOException {
        fill(3);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        MergedSplits merged = run(new MergeSplits(ids.subList(0, 2)));
        for (int key = 0; key < 8; key++) {
            if (key != 1) {
                collection.delete(key);
            }
        }
        apply(); // takes the second split away
        requireNothing(publish(merged), MaintenanceOutcome.Fate.ABANDONED, ids.get(1).toString());

        // The last one goes after a purge of what is left of the first was built.
        MergedSplits purged = run(new MergeSplits(List.of(ids.get(0))));
        assertThat(purged.split().docCount()).isEqualTo(1);
        collection.delete(1);
        CollectionCommittable last = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(last, false)));
        requireNothing(publish(purged), MaintenanceOutcome.Fate.ABANDONED, ids.get(0).toString());
        assertThat(splits()).extracting(SplitRef::ulid).containsExactly(ids.get(2));
        verified();
    }

    @Test
    void aMergeThatWouldLoseDocumentsIsAbandoned() throws IOException {
        fill(1);
        SplitRef split = splits().get(0);
        MergedSplits nothing =
                new MergedSplits(List.of(split.ulid()), null, new Ulid(1, 1), live().createdAtMs());
        requireNothing(
                publish(nothing),
                MaintenanceOutcome.Fate.ABANDONED,
                "have 4 live documents, but 0 are live in the split merged");
    }

    /** A writer of ours removes splits without a live document; another's may leave them. */
    @Test
    void inputsWithoutALiveDocumentAreJustRemoved() throws IOException {
        fill(2);
        CollectionHandle handle = collection.open();
        LiveManifest live = handle.live();
        SplitRef first = live.manifest().splits().get(0);
        long row = 3; // no row has it
        handle.objects()
                .put(
                        handle.paths().split(new Ulid(1, 1)),
                        collection.memory.get(handle.paths().split(first.ulid())));
        SplitRef dead =
                new SplitRef(
                        new Ulid(1, 1),
                        1,
                        1,
                        first.sizeBytes(),
                        first.footerStart(),
                        first.footerEnd(),
                        List.of(new RowIdRange(row, row + 1)),
                        handle.paths().deleteBitmap(new Ulid(1, 1), new Ulid(1, 2)),
                        1,
                        1,
                        0,
                        0);
        handle.objects()
                .put(
                        dead.deleteBitmap(),
                        DeleteBitmapCodec.encode(
                                new DeleteBitmap(dead.ulid(), 1, RoaringBitmap.bitmapOf(0))));
        List<SplitRef> splits = new ArrayList<>(live.manifest().splits());
        splits.add(dead);
        MaintenanceCommit.publish(
                handle, MaintenanceCommit.child(live, splits, handle.metastore().clockMs()));

        MergedSplits removed = run(new MergeSplits(List.of(dead.ulid())));
        assertThat(removed.split()).isNull();
        requirePublished(publishAsRival(removed), 4);
        assertThat(splits()).isEqualTo(live.manifest().splits());
        requirePublished(publishAsRival(run(mergeOfAll())), 5);
        verified();
    }

    @Test
    void aDamagedBitmapKeepsNoOtherMergeFromBeingPublished() throws IOException {
        fill(4);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        MergedSplits damaged = run(new MergeSplits(ids.subList(0, 2)));
        MergedSplits sound = run(new MergeSplits(ids.subList(2, 4)));
        collection.delete(1);
        apply();
        String path = splits().get(0).deleteBitmap();
        byte[] bytes = collection.memory.get(path);
        collection.memory.delete(path);
        byte[] flipped = bytes.clone();
        flipped[flipped.length - 1] ^= 1;
        collection.memory.put(path, flipped);

        MaintenanceOutcome outcome = publish(damaged, sound);

        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.ABANDONED, MaintenanceOutcome.Fate.PUBLISHED);
        assertThat(outcome.works().get(0).text()).contains(path, "crc32c");
        assertThat(splits())
                .extracting(SplitRef::ulid)
                .containsExactly(ids.get(0), ids.get(1), sound.split().ulid());
        collection.memory.delete(path);
        collection.memory.put(path, bytes);
        verified();
    }

    @Test
    void scatteredDeletesAreFilledAndStayDeleted() throws IOException {
        for (int key = 0; key < 600; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
        }
        apply();
        for (int key = 0; key < 600; key += 3) {
            collection.delete(key);
        }
        apply();
        MergeSplits purge = mergeOfAll();
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).containsExactly(purge);
        MergedSplits purged = run(purge);
        assertThat(purged.split().docCount()).isGreaterThan(400);
        assertThat(purged.split().placeholderCount()).isEqualTo(purged.split().docCount() - 400);
        collection.delete(1);
        apply();

        requirePublished(publish(purged), 4);

        SplitRef split = splits().get(0);
        assertThat(split.ranges()).hasSize(1);
        assertThat(split.placeholderCount()).isEqualTo(199); // the first row is at an end
        assertThat(split.deletedCount()).isEqualTo(200);
        verified();
        assertThat(keys()).doesNotContain(0L, 1L, 3L).contains(2L, 4L, 5L);
        // Placeholders do not make it worth another purge.
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).isEmpty();

        // Another merge takes them along.
        collection.upsert(1, "{\"n\":1}");
        apply();
        requirePublished(publish(run(mergeOfAll())), 6);
        assertThat(splits())
                .singleElement()
                .satisfies(
                        merged -> {
                            assertThat(merged.placeholderCount()).isEqualTo(199);
                            assertThat(merged.deletedCount()).isEqualTo(199);
                            assertThat(merged.liveCount()).isEqualTo(400);
                        });
        verified();
    }

    @Test
    void ofTwoMergesOfTheSameSplitsOneIsPublished() throws IOException {
        fill(3);
        MergedSplits one = run(mergeOfAll());
        MergedSplits two = run(mergeOfAll());
        MaintenanceOutcome outcome = publish(one, two);
        assertThat(outcome.version()).isEqualTo(4);
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.PUBLISHED, MaintenanceOutcome.Fate.ABANDONED);
        requireNothing(publish(two), MaintenanceOutcome.Fate.ABANDONED, "meanwhile");
        assertThat(splits()).extracting(SplitRef::ulid).containsExactly(one.split().ulid());
        verified();
    }

    @Test
    void aMergeThatLosesToAMergeOfItsInputsIsAbandoned() throws IOException {
        fill(3);
        MergedSplits fast = run(mergeOfAll());
        MergedSplits slow = run(mergeOfAll());
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publishAsRival(fast), 4)));
        requireNothing(publish(slow), MaintenanceOutcome.Fate.ABANDONED, "meanwhile");
        verified();
    }

    @Test
    void aMergeThatLosesToAMergeOfOtherSplitsIsPublishedAfterIt() throws IOException {
        fill(4);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        MergedSplits fast = run(new MergeSplits(ids.subList(0, 2)));
        MergedSplits slow = run(new MergeSplits(ids.subList(2, 4)));
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publishAsRival(fast), 5)));
        requirePublished(publish(slow), 6);
        assertThat(splits())
                .extracting(SplitRef::ulid)
                .containsExactly(fast.split().ulid(), slow.split().ulid());
        verified();
    }

    @Test
    void aSwapWhoseAnswerIsLostIsRecognised() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        requirePublished(publish(merged), 3);
        assertThat(live().version()).isEqualTo(3);
        verified();
    }

    @Test
    void aSwapThatMayOrMayNotHaveHappenedIsTriedAgain() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_BEFORE);
        requirePublished(publish(merged), 3);
        verified();
    }

    @Test
    void whenNobodySaysWhetherItWasPublishedTheNextCallFindsOut() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        collection.faults.rule(
                operation ->
                        operation.startsWith("pointer ") || operation.startsWith("swapPointer"),
                n -> true,
                Fault.TIMEOUT_BEFORE);
        assertThatThrownBy(() -> publish(merged)).hasMessageContaining("did not say whether");
        collection.faults.heal();
        apply(); // whoever comes next carries it on
        MaintenanceOutcome again = publish(merged);
        assertThat(again.version()).isZero();
        assertThat(again.isComplete()).isTrue();
        assertThat(again.works().get(0).text()).contains("before");
        verified();
    }

    @Test
    void putsWhoseAnswersAreLostAreFound() throws IOException {
        fill(2);
        collection.delete(1);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        MergedSplits merged = run(mergeOfAll());
        apply.commit(checkpoint, false);
        for (String part : List.of("/text/deletes/", "/manifests/")) {
            collection.faults.once("put ns/1/collections/1" + part, Fault.AFTER);
            assertThatThrownBy(() -> publish(merged)).hasMessageContaining("injected after");
            assertThat(live().version()).isEqualTo(3);
        }
        requirePublished(publish(merged), 4);
        verified();
    }

    @Test
    void anUploadThatBreaksOffIsDoneAgain() throws IOException {
        fill(2);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/staged/", "/text/splits/")) {
                collection.faults.once("put ns/1/collections/1" + part, fault);
                assertThatThrownBy(() -> run(mergeOfAll())).hasMessageContaining("injected");
                assertThat(dir.resolve("work")).isEmptyDirectory();
            }
        }
        requirePublished(publish(run(mergeOfAll())), 3);
        verified();
    }

    @Test
    void withoutRebasesOneThatIsFasterBlocksIt() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.upsert(20, "{\"n\":1}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));
        MaintenanceOutcome outcome = publish(OPTIONS.withMaxRebases(0), merged);
        requireNothing(outcome, MaintenanceOutcome.Fate.BLOCKED, "came first 1 times");
        requirePublished(publish(merged), 4);
        verified();
    }

    @Test
    void fiveRebasesAndNoMore() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        int[] swaps = {0};
        collection.faults.rule(
                operation -> operation.startsWith("swapPointer"), n -> n % 2 == 1, Fault.SLOW);
        collection.faults.slowness(
                unchecked(
                        () -> {
                            swaps[0]++;
                            collection.upsert(20 + swaps[0], "{\"n\":1}");
                            apply();
                        }));
        requireNothing(publish(merged), MaintenanceOutcome.Fate.BLOCKED, "came first 6 times");
        assertThat(swaps[0]).isEqualTo(6);
        verified();
    }

    @Test
    void aCommitThatTookTooLongIsBlocked() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.onceRun(
                "swapPointer",
                () -> {
                    try {
                        Thread.sleep(30);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
        requireNothing(
                publish(OPTIONS.withMaxCommitDelayMs(5), merged),
                MaintenanceOutcome.Fate.BLOCKED,
                "took longer than 5 ms");
        requirePublished(publish(merged), 3);
    }

    @Test
    void whoTookTheLeaseStopsTheOther() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        CollectionHandle handle = collection.open();
        collection.faults.onceRun(
                "swapPointer",
                unchecked(
                        () ->
                                handle.metastore()
                                        .takeOverLease(
                                                TaskKeys.lease(
                                                        TaskKeys.mergeSplits(handle.info().id())),
                                                "other",
                                                60_000)));
        requireNothing(publish(merged), MaintenanceOutcome.Fate.BLOCKED, "another committer took");
        assertThat(live().version()).isEqualTo(2);
    }

    @Test
    void aDroppedCollectionEndsIt() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        CollectionHandle handle = collection.open();
        CollectionHandle other = collection.open();
        MaintenanceLease lease =
                MaintenanceLease.acquire(handle.metastore(), "task/x", OPTIONS).orElseThrow();
        MaintenanceCommitter committer =
                new MaintenanceCommitter(handle, OPTIONS, lease, ParallelIo.inOrder(), ms -> {});
        collection.faults.onceRun(
                "swapPointer",
                unchecked(() -> other.metastore().dropCollection(other.info().id())));
        requireNothing(
                committer.publish(List.of(merged)),
                MaintenanceOutcome.Fate.ABANDONED,
                "the collection was dropped");
        requireNothing(
                committer.publish(List.of(merged)),
                MaintenanceOutcome.Fate.ABANDONED,
                "the collection was dropped");
    }

    @Test
    void aSplitThatIsGoneOrAnotherIsNotPublished() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        String path = collection.open().paths().split(merged.split().ulid());
        byte[] bytes = collection.memory.get(path);
        collection.memory.delete(path);
        requireNothing(publish(merged), MaintenanceOutcome.Fate.ABANDONED, path + " is gone");
        collection.memory.put(path, new byte[3]);
        requireNothing(publish(merged), MaintenanceOutcome.Fate.ABANDONED, path + " is gone");
        collection.memory.delete(path);
        collection.memory.put(path, bytes);
        requirePublished(publish(merged), 3);
    }

    @Test
    void workThatIsTooOldIsNotPublished() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        long half = OPTIONS.stagingRetentionMs() / 2;
        MergedSplits old =
                new MergedSplits(
                        merged.inputs(),
                        merged.split(),
                        merged.unit(),
                        merged.createdAtMs() - half - 1000);
        requireNothing(publish(old), MaintenanceOutcome.Fate.ABANDONED, "it was begun");
    }

    @Test
    void aTaskWhoseSplitIsGoneIsObsolete() throws IOException {
        fill(2);
        MergeSplits task = mergeOfAll();
        requirePublished(publish(run(task)), 3);
        assertThatThrownBy(() -> run(task))
                .isInstanceOf(ObsoleteTaskException.class)
                .hasMessageContaining("version 3 has no split");
    }

    @Test
    void splitsOfDifferentSchemasAreNotMerged() throws IOException {
        fill(1);
        CollectionHandle handle = collection.open();
        CollectionSchema next = TestCollection.schema(2, List.of("n", "m"), List.of());
        handle.metastore().updateSchema(handle.info().id(), 1, next);
        writer = collection.writer();
        collection.upsert(9, "{\"n\":9,\"m\":9}");
        apply();
        assertThat(splits()).extracting(SplitRef::schemaVersion).containsExactly(1L, 2L);
        assertThatThrownBy(() -> run(mergeOfAll())).hasMessageContaining("cannot be merged");
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).isEmpty();
    }

    @Test
    void aSchemaThatMovesOnBetweenBuildAndCommitDoesNotMatter() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        CollectionHandle handle = collection.open();
        CollectionSchema next = TestCollection.schema(2, List.of("n", "m"), List.of());
        handle.metastore().updateSchema(handle.info().id(), 1, next);
        requirePublished(publish(merged), 3);
        assertThat(splits()).extracting(SplitRef::schemaVersion).containsExactly(1L);
        assertThat(live().schemaVersion()).isEqualTo(1);
        writer = collection.writer();
        collection.upsert(1, "{\"n\":9,\"m\":9}");
        apply();
        verified();
    }

    @Test
    void whatTravelsIsTheSameOnTheOtherSide() throws Exception {
        fill(2);
        MaintenanceTask task = mergeOfAll();
        FinishedWork work = run(task);
        MaintenanceOutcome outcome = publish(work);
        for (Object travels : List.of(task, work, outcome, OPTIONS)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(travels);
            }
            try (ObjectInputStream in =
                    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertThat(in.readObject()).isEqualTo(travels);
            }
        }
    }

    private RoundReport round() throws IOException {
        return round(OPTIONS);
    }

    private RoundReport round(MaintenanceOptions options) throws IOException {
        return new MaintenanceRound(
                        collection.open(), options, Files.createDirectories(dir.resolve("work")))
                .run();
    }

    @Test
    void roundsMergeUntilThereIsNothingToDo() throws IOException {
        fill(9);
        collection.delete(1);
        collection.delete(2);
        apply();
        List<Integer> counts = new ArrayList<>();
        RoundReport report = round();
        while (report.progressed()) {
            counts.add(splits().size());
            assertThat(report.count(RoundReport.Status.PUBLISHED)).isEqualTo(report.tasks().size());
            verified();
            report = round();
        }
        assertThat(counts.get(counts.size() - 1)).isEqualTo(1);
        assertThat(splits().get(0).docCount()).isEqualTo(34);
        assertThat(report.tasks()).isEmpty();
        // Leases are given up.
        assertThat(
                        collection
                                .open()
                                .metastore()
                                .lease(TaskKeys.lease(TaskKeys.mergeSplits(1)))
                                .orElseThrow()
                                .owner())
                .isNull();
    }

    @Test
    void aTaskThatFailsKeepsNoOtherFromBeingPublished() throws IOException {
        fill(5);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        for (int key = 0; key < 3; key++) {
            collection.delete(key); // the first split has one document left: to be merged last
        }
        apply();
        TaskRunner real =
                new CollectionTaskRunner(
                        collection.open(), OPTIONS, Files.createDirectories(dir.resolve("work")));
        MaintenanceOptions options =
                OPTIONS.withMerge(
                        MergePolicy.DEFAULT
                                .withFactors(4, 4)
                                .withLevels(2, 1_000)
                                .withPurge(1, 300_000));
        RoundReport report =
                new MaintenanceRound(
                                collection.open(),
                                options,
                                task -> {
                                    if (((MergeSplits) task).isPurge()) {
                                        throw new IllegalStateException("no disk");
                                    }
                                    return real.run(task);
                                })
                        .run();
        assertThat(report.tasks())
                .extracting(RoundReport.TaskReport::status)
                .containsExactly(RoundReport.Status.FAILED, RoundReport.Status.PUBLISHED);
        assertThat(report.tasks().get(0).text()).contains("no disk");
        assertThat(splits()).hasSize(2).extracting(SplitRef::ulid).contains(ids.get(0));
        verified();
    }

    @Test
    void aRoundMergesAndCompactsInOneVersion() throws IOException {
        fill(5);
        collection.delete(1);
        apply();
        long before = live().version();
        RoundReport report = round(OPTIONS.withCompaction(CompactionPolicy.DEFAULT));
        assertThat(report.version()).isEqualTo(before + 1);
        assertThat(report.tasks()).hasSize(2);
        assertThat(report.count(RoundReport.Status.PUBLISHED)).isEqualTo(2);
        verified();
        collection.upsert(2, "{\"n\":22}");
        apply();
        verified();
    }

    @Test
    void aRoundStandsBackWhereAnotherHoldsTheLeases() throws IOException {
        fill(5);
        CollectionHandle handle = collection.open();
        long id = handle.info().id();
        String merge = TaskKeys.lease(TaskKeys.mergeSplits(id));
        String compact = TaskKeys.lease(TaskKeys.compact(id));
        handle.metastore().acquireLease(compact, "somebody", 60_000);
        MaintenanceOptions both = OPTIONS.withCompaction(CompactionPolicy.DEFAULT);
        RoundReport one = round(both);
        assertThat(one.progressed()).isTrue();
        assertThat(one.held()).singleElement().asString().contains(compact, "somebody");
        fill(5);
        handle.metastore().acquireLease(merge, "somebody", 60_000);
        RoundReport two = round(both);
        assertThat(two.progressed()).isFalse();
        assertThat(two.tasks()).isEmpty();
        assertThat(two.held()).hasSize(2);
    }

    @Test
    void maintenanceIsNoneOfTheApplyLeasesBusiness() throws IOException {
        fill(5);
        CollectionHandle handle = collection.open();
        long epoch = handle.metastore().lease(handle.paths().leaseKey()).orElseThrow().epoch();
        assertThat(round().progressed()).isTrue();
        assertThat(handle.metastore().lease(handle.paths().leaseKey()).orElseThrow().epoch())
                .isEqualTo(epoch);
        collection.upsert(1, "{\"n\":3}");
        apply();
        verified();
    }

    @Test
    void mergesLeaveTheFilesThatNothingNeedsToGarbageCollection() throws IOException {
        long[] clockMs = {1_700_000_000_000L};
        collection.close();
        start(TestCollection.inMemory(dir, 2, () -> clockMs[0]));
        fill(4);
        MergedSplits lost = run(mergeOfAll());
        requirePublished(publish(run(mergeOfAll())), 5);
        requireNothing(publish(lost), MaintenanceOutcome.Fate.ABANDONED, "meanwhile");
        clockMs[0] += 8L * 86_400_000;
        Map<String, Fate> fates;
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            fates =
                    collector.plan().verdicts().stream()
                            .collect(
                                    Collectors.toMap(
                                            verdict -> verdict.path(), verdict -> verdict.fate()));
        }
        CollectionHandle handle = collection.open();
        assertThat(fates)
                .containsEntry(handle.paths().split(lost.split().ulid()), Fate.UNREFERENCED)
                .containsEntry(handle.paths().stagedDescriptor(lost.unit()), Fate.EXPIRED);
        assertThat(fates.get(handle.paths().split(splits().get(0).ulid())))
                .isEqualTo(Fate.RETAINED);
    }
}
