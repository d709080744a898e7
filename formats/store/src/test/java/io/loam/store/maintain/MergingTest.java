package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.DeleteBitmap;
import io.loam.codec.manifest.DeleteBitmapCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcOptions;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.testing.MaintenanceCommit;
import io.loam.store.testing.TestCollection;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What merges make of a collection, on the real metastore in SQLite. */
class MergingTest extends MergeTestBase {
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
                                + " of 12 documents \\(0 deleted\\), \\d+ bytes, segments joined");
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
                new MergedSplits(
                        List.of(split.ulid()), null, new Ulid(1, 1), live().createdAtMs(), false);
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
