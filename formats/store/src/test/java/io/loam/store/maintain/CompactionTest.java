package io.loam.store.maintain;

import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcOptions;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;
import io.loam.store.maintain.FinishedWork.CompactedFragments;
import io.loam.store.maintain.FinishedWork.NewFragment;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.read.ChangeReader;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Compactions and whoever comes between plan, build and commit. */
class CompactionTest extends MaintenanceTestBase {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("compactor/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(new CompactionPolicy(true, 1000, 4, 100_000, 8));

    private List<LanceFragment> fragments() throws IOException {
        return rowVersion().fragments();
    }

    private CompactFragments compactionOfAll() throws IOException {
        return new CompactFragments(fragments().stream().map(LanceFragment::id).toList());
    }

    /** So many fragments of four rows, with keys from 0. */
    private void fill(int fragments) throws IOException {
        for (int key = 0; key < 4 * fragments; key++) {
            upsert(key, key);
            if (key % 4 == 3) {
                apply();
            }
        }
    }

    private void upsert(long key, long n) {
        collection.upsert(key, "{\"n\":" + n + "}");
    }

    private CompactedFragments run(MaintenanceTask task) throws IOException {
        return (CompactedFragments) run(OPTIONS, task);
    }

    private MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.compact(live().collectionId()), works);
    }

    /** As somebody who does not hold the lease of compactions. */
    private MaintenanceOutcome publishAsRival(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.mergeSplits(live().collectionId()), works);
    }

    /** Row id, key and source of every row of the live version. */
    private Map<Long, String> rows() throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        CollectionHandle handle = collection.open();
        try (RowSnapshot snapshot = handle.rows().open(live(), handle.schema());
                RowCursor cursor = snapshot.scan(Projection.ALL, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                String place = row.ingestPartition() + "/" + row.ingestOffset();
                String text = row.key() + " " + Json.text(Json.parseObject(row.source()));
                assertThat(rows.put(row.rowId(), text + " " + place + " " + row.vectors()))
                        .isNull();
            }
        }
        return rows;
    }

    @Test
    void oneFragmentTakesThePlaceOfSmallOnesAndRowsKeepTheirIds() throws IOException {
        fill(5);
        collection.delete(1);
        upsert(6, 60);
        apply();
        CollectionManifest before = live();
        Map<Long, String> rows = rows();
        List<Long> old = fragments().stream().map(LanceFragment::id).toList();

        List<MaintenanceTask> tasks = new MaintenancePlanner(OPTIONS).plan(collection.open());
        assertThat(tasks).containsExactly(new CompactFragments(old));
        CompactedFragments done = run(tasks.get(0));
        requirePublished(publish(done), before.version() + 1);

        CollectionManifest after = live();
        assertThat(rows()).isEqualTo(rows).hasSize(19);
        assertThat(fragments())
                .singleElement()
                .satisfies(
                        fragment -> {
                            assertThat(fragment.id()).isEqualTo(7);
                            assertThat(fragment.physicalRows()).isEqualTo(19);
                            assertThat(fragment.deletionFile()).isNull();
                        });
        assertThat(after.kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(after.splits()).isEqualTo(before.splits());
        assertThat(after.applied()).isEqualTo(before.applied());
        assertThat(after.liveDocCount()).isEqualTo(before.liveDocCount());
        assertThat(after.rowIdHighWater()).isEqualTo(before.rowIdHighWater());
        assertThat(after.pkDelta()).isEmpty();
        assertThat(after.properties())
                .containsEntry(
                        ManifestProperties.COMMIT_ID,
                        before.properties().get(ManifestProperties.COMMIT_ID))
                .doesNotContainEntry(
                        ManifestProperties.ROW_VERSION,
                        before.properties().get(ManifestProperties.ROW_VERSION));
        verified();
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).isEmpty();

        collection.delete(2);
        upsert(7, 70);
        upsert(100, 1);
        assertThat(apply()).isEqualTo(after.version() + 1);
        verified();
    }

    @Test
    void nobodyWhoReadsChangesSeesACompaction() throws IOException {
        fill(4);
        collection.delete(1);
        apply();
        CollectionManifest before = live();
        requirePublished(publish(run(compactionOfAll())), before.version() + 1);
        collection.memory.delete(collection.open().paths().lanceVersion(before.lanceVersion()));
        CollectionHandle handle = collection.open();
        collection.faults.forgetOperations();
        try (ChangeReader changes =
                ChangeReader.open(handle, before, live(), Projection.ALL, 0, 1)) {
            assertThat(changes.next()).isNull();
        }
        assertThat(collection.faults.operations())
                .noneMatch(operation -> operation.contains("/lance/"))
                .noneMatch(operation -> operation.contains("/text/"));
    }

    @Test
    void historyAndGarbageCollectionKnowTheCompaction() throws IOException {
        fill(3);
        collection.delete(1);
        apply();
        CompactedFragments done = run(compactionOfAll());
        collection.delete(2);
        apply();
        publish(done);
        HistoryRow row = History.of(collection.open()).rows().get(0);
        assertThat(row.derived()).isFalse();
        assertThat(row.kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(row.description())
                .isEqualTo(
                        "compact 3 fragments of 12 rows (2 deleted) into one of 11 rows (1 deleted)");
        CollectionHandle handle = collection.open();
        try (GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT)) {
            assertThat(collector.plan().verdicts())
                    .filteredOn(v -> v.path().equals(handle.paths().stagedDescriptor(done.unit())))
                    .singleElement()
                    .satisfies(verdict -> assertThat(verdict.fate()).isEqualTo(Fate.PUBLISHED));
            String file = handle.paths().lanceData(done.added().get(0).dataFile());
            assertThat(collector.plan().verdicts())
                    .filteredOn(v -> v.path().equals(file))
                    .singleElement()
                    .satisfies(verdict -> assertThat(verdict.fate()).isEqualTo(Fate.RETAINED));
        }
    }

    @Test
    void rowsDeletedSinceTheBuildStayDeleted() throws IOException {
        fill(3);
        collection.delete(0);
        apply();
        CompactedFragments done = run(compactionOfAll());
        collection.delete(1);
        upsert(5, 50);
        apply();
        Map<Long, String> rows = rows();

        requirePublished(publish(done), 6);

        assertThat(rows()).isEqualTo(rows).hasSize(10);
        assertThat(fragments()).hasSize(2);
        assertThat(fragments().get(1).deletedRows()).isEqualTo(2);
        verified();
    }

    @Test
    void rowsDeletedJustBeforeTheSwapStayDeleted() throws IOException {
        fill(3);
        CompactedFragments done = run(compactionOfAll());
        collection.delete(1);
        upsert(5, 50);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));

        requirePublished(publish(done), 5);

        assertThat(fragments()).hasSize(2);
        assertThat(fragments().get(1).deletedRows()).isEqualTo(2);
        assertThat(History.of(collection.open()).rows().get(0).attempt()).isEqualTo(1);
        assertThat(rows()).hasSize(11);
        verified();
    }

    @Test
    void anApplyCommitThatLosesToACompactionDeletesInTheNewFragment() throws IOException {
        fill(3);
        CompactedFragments done = run(compactionOfAll());
        collection.delete(1);
        upsert(5, 50);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publish(done), 4)));

        assertThat(apply.commit(checkpoint, false)).isEqualTo(new CommitOutcome.Committed(5));

        assertThat(fragments().get(0).deletedRows()).isEqualTo(2);
        assertThat(rows()).hasSize(11);
        verified();
    }

    @Test
    void whereNoRowIsLeftNothingIsPutInTheirPlace() throws IOException {
        fill(2);
        CompactedFragments done = run(compactionOfAll());
        for (int key = 0; key < 8; key++) {
            if (key % 4 != 2) {
                collection.delete(key);
            }
        }
        apply();
        collection.delete(2);
        apply(); // takes the first fragment away
        requireAbandoned(publish(done), "fragment 1 was compacted or removed meanwhile");

        // One row is left of a fragment, and goes after the file without it was written.
        CompactedFragments last = run(compactionOfAll());
        assertThat(last.added().get(0).rows()).isEqualTo(1);
        upsert(6, 66);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));
        requireAbandoned(publish(last), "fragment 2 was compacted or removed meanwhile");
        assertThat(rows()).hasSize(1);
        verified();
    }

    @Test
    void aCompactionThatWouldLoseRowsIsAbandonedAndKeepsNoOtherBack() throws IOException {
        fill(2);
        CompactedFragments sound = run(new CompactFragments(List.of(2L)));
        CompactedFragments lossy =
                new CompactedFragments(List.of(1L), List.of(), sound.unit(), sound.createdAtMs());
        MaintenanceOutcome outcome = publish(lossy, sound);
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.ABANDONED, MaintenanceOutcome.Fate.PUBLISHED);
        assertThat(outcome.works().get(0).text()).contains("[1] have 4 live rows");
        assertThat(rows()).hasSize(8);
        verified();
    }

    @Test
    void aFileWithARowThatWasDeletedBeforeBringsItBackToNobody() throws IOException {
        fill(2);
        CompactedFragments early = run(compactionOfAll());
        collection.delete(1);
        apply();
        requirePublished(publish(early), 4);
        assertThat(rows()).hasSize(7);
        // The same again: the old fragments are gone.
        CompactedFragments again =
                new CompactedFragments(
                        early.fragmentIds(), List.of(), early.unit(), early.createdAtMs());
        requireAbandoned(publish(again), "meanwhile");
        verified();
    }

    @Test
    void severalGroupsAreOneRowVersion() throws IOException {
        fill(6);
        CompactedFragments late = run(new CompactFragments(List.of(5L, 6L)));
        CompactedFragments early = run(new CompactFragments(List.of(1L, 3L)));
        Map<Long, String> rows = rows();
        requirePublished(publish(late, early), 7);
        assertThat(fragments()).extracting(LanceFragment::id).containsExactly(2L, 4L, 7L, 8L);
        assertThat(rows()).isEqualTo(rows);
        assertThat(History.of(collection.open()).rows())
                .filteredOn(row -> row.version() == 7)
                .hasSize(2);
        verified();
    }

    @Test
    void aMergeAndACompactionOfARoundAreOneVersion() throws IOException {
        fill(4);
        List<SplitRef> splits = live().splits();
        CompactedFragments compacted = run(compactionOfAll());
        FinishedWork merged =
                new CollectionTaskRunner(collection.open(), OPTIONS, dir.resolve("work"))
                        .run(
                                new MergeSplits(
                                        splits.subList(0, 2).stream()
                                                .map(SplitRef::ulid)
                                                .toList()));
        collection.delete(3);
        apply();
        requirePublished(publish(compacted, merged), 6);
        assertThat(live().splits()).hasSize(3);
        assertThat(fragments()).hasSize(1);
        assertThat(rows()).hasSize(15);
        verified();
    }

    @Test
    void ofTwoCompactionsOfTheSameFragmentsOneIsPublished() throws IOException {
        fill(3);
        CompactedFragments one = run(compactionOfAll());
        CompactedFragments two = run(new CompactFragments(List.of(2L, 3L)));
        MaintenanceOutcome outcome = publish(one, two);
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.PUBLISHED, MaintenanceOutcome.Fate.ABANDONED);
        requireAbandoned(publish(two), "fragment 2 was compacted or removed meanwhile");
        verified();
    }

    @Test
    void aCompactionThatLosesToACompactionOfItsFragmentsIsAbandoned() throws IOException {
        fill(3);
        CompactedFragments fast = run(compactionOfAll());
        CompactedFragments slow = run(compactionOfAll());
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publishAsRival(fast), 4)));
        requireAbandoned(publish(slow), "meanwhile");
        assertThat(rows()).hasSize(12);
        verified();
    }

    @Test
    void aTaskWhoseFragmentIsGoneIsObsolete() throws IOException {
        fill(2);
        CompactFragments task = compactionOfAll();
        requirePublished(publish(run(task)), 3);
        assertThatThrownBy(() -> run(task))
                .isInstanceOf(ObsoleteTaskException.class)
                .hasMessageContaining("version 3 has no fragment 1");
    }

    @Test
    void aSwapWhoseAnswerIsLostIsRecognised() throws IOException {
        fill(2);
        CompactedFragments done = run(compactionOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        requirePublished(publish(done), 3);
        assertThat(live().version()).isEqualTo(3);
        MaintenanceOutcome again = publish(done);
        assertThat(again.version()).isZero();
        assertThat(again.isComplete()).isTrue();
        assertThat(again.works().get(0).text()).contains("before");
        verified();
    }

    @Test
    void whatBreaksOffIsDoneAgain() throws IOException {
        fill(2);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/staged/", "/lance/data/")) {
                collection.faults.once("put ns/1/collections/1" + part, fault);
                assertThatThrownBy(() -> run(compactionOfAll())).hasMessageContaining("injected");
                assertThat(dir.resolve("work")).isEmptyDirectory();
            }
        }
        CompactedFragments done = run(compactionOfAll());
        collection.delete(1);
        apply();
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/lance/_deletions/", "/lance/_versions/", "/manifests/")) {
                collection.faults.once("put ns/1/collections/1" + part, fault);
                assertThatThrownBy(() -> publish(done)).hasMessageContaining("injected");
                assertThat(live().version()).isEqualTo(3);
            }
        }
        requirePublished(publish(done), 4);
        verified();
    }

    @Test
    void aDroppedCollectionEndsIt() throws IOException {
        fill(2);
        CompactedFragments done = run(compactionOfAll());
        requireDroppedIsAbandoned(OPTIONS, done);
    }

    @Test
    void aFileThatIsGoneOrAnotherAndOldWorkAreNotPublished() throws IOException {
        fill(2);
        CompactedFragments done = run(compactionOfAll());
        String path = collection.open().paths().lanceData(done.added().get(0).dataFile());
        byte[] bytes = collection.memory.get(path);
        collection.memory.delete(path);
        requireAbandoned(publish(done), path + " is gone");
        collection.memory.put(path, new byte[3]);
        requireAbandoned(publish(done), path + " is gone");
        collection.memory.delete(path);
        collection.memory.put(path, bytes);
        CompactedFragments old =
                new CompactedFragments(
                        done.fragmentIds(),
                        done.added(),
                        done.unit(),
                        done.createdAtMs() - OPTIONS.stagingRetentionMs() / 2 - 1000);
        requireAbandoned(publish(old), "it was begun");
        requirePublished(publish(done), 3);
        verified();
    }

    @Test
    void aSchemaThatGotVectorsMeanwhileIsWrittenWithThem() throws IOException {
        fill(2);
        CompactedFragments before = run(new CompactFragments(List.of(1L)));
        CollectionHandle handle = collection.open();
        Vector vector =
                new Vector(
                        "v",
                        2,
                        CollectionSchema.Distance.COSINE,
                        CollectionSchema.Element.F32,
                        new CollectionSchema.VectorIndex.None(),
                        CollectionSchema.Hnsw.DEFAULT,
                        null);
        handle.metastore()
                .updateSchema(
                        handle.info().id(),
                        1,
                        TestCollection.schema(2, List.of("n"), List.of(vector)));
        CompactedFragments after = run(new CompactFragments(List.of(2L)));
        assertThat(before.added().get(0).columns()).isEmpty();
        assertThat(after.added().get(0).columns()).hasSize(1);
        requirePublished(publish(before, after), 3);
        assertThat(rows()).hasSize(8);
        verified();
    }

    @Test
    void finishedWorkTravelsBetweenMachines() throws Exception {
        fill(2);
        CompactedFragments done = run(compactionOfAll());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(done);
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            CompactedFragments read = (CompactedFragments) in.readObject();
            assertThat(read.fragmentIds()).isEqualTo(done.fragmentIds());
            NewFragment added = read.added().get(0);
            assertThat(added.rowIds()).isEqualTo(done.added().get(0).rowIds());
            requirePublished(publish(read), 3);
        }
        verified();
    }

    /** So many row ids with holes between them do not stand in the manifest. */
    @Test
    void manyRowIdsStandInAFileOfTheirOwn() throws IOException {
        for (int key = 0; key < 6000; key++) {
            upsert(key, key);
        }
        apply();
        for (int key = 0; key < 6000; key += 3) {
            collection.delete(key);
        }
        apply();
        CompactedFragments done = run(compactionOfAll());
        NewFragment added = done.added().get(0);
        assertThat(added.rowIds().length).isGreaterThan(FragmentCompactor.MOST_INLINE_BYTES);
        CollectionHandle handle = collection.open();
        String file = handle.paths().lance() + added.rowIdFile();
        byte[] bytes = collection.memory.get(file);
        assertThat(bytes).isEqualTo(added.rowIds());
        collection.memory.delete(file);
        requireAbandoned(publish(done), file + " is gone");
        collection.memory.put(file, bytes);
        collection.delete(4);
        upsert(5, 50);
        apply();
        requirePublished(publish(done), 4);
        assertThat(rowVersion().rowIdFiles()).containsExactly(added.rowIdFile());
        assertThat(collection.memory.get(handle.paths().lanceVersion(live().lanceVersion())).length)
                .isLessThan(600);
        assertThat(rows()).hasSize(3999);
        verified();

        try (GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT)) {
            assertThat(collector.plan().damage()).isNull();
            assertThat(collector.plan().verdicts())
                    .filteredOn(v -> v.path().equals(file))
                    .singleElement()
                    .satisfies(verdict -> assertThat(verdict.fate()).isEqualTo(Fate.RETAINED));
            assertThat(collector.plan().verdicts())
                    .filteredOn(v -> v.path().equals(handle.paths().stagedDescriptor(done.unit())))
                    .singleElement()
                    .satisfies(verdict -> assertThat(verdict.fate()).isEqualTo(Fate.PUBLISHED));
        }
        upsert(7, 70);
        collection.delete(8);
        apply();
        CompactedFragments again = run(compactionOfAll());
        requirePublished(publish(again), 6);
        assertThat(rows()).hasSize(3998);
        verified();

        String damaged = handle.paths().lance() + again.added().get(0).rowIdFile();
        byte[] flipped = collection.memory.get(damaged).clone();
        flipped[flipped.length / 2] ^= 1;
        collection.memory.delete(damaged);
        assertThat(collection.verify().violations()).anyMatch(v -> v.contains(damaged));
        collection.memory.put(damaged, flipped);
        assertThat(collection.verify().violations()).anyMatch(v -> v.contains(damaged));
        upsert(9, 90);
        assertThatThrownBy(this::apply).hasMessageContaining(damaged + ": crc32c is");
    }

    /** Every row is replaced again and again, also between every build and its commit. */
    @Test
    void uniformUpdatesDoNotStarveIt() throws IOException {
        Random random = new Random(7);
        for (int key = 0; key < 60; key++) {
            upsert(key, key);
        }
        apply();
        int published = 0;
        for (int round = 1; round <= 40; round++) {
            updateSome(random, round);
            List<FinishedWork> works = new ArrayList<>();
            for (MaintenanceTask task : new MaintenancePlanner(OPTIONS).plan(collection.open())) {
                works.add(run(task));
                updateSome(random, round);
            }
            CollectionCommittable checkpoint = update(random, round);
            boolean[] applied = {false};
            collection.faults.onceRun(
                    "swapPointer",
                    unchecked(
                            () -> {
                                applied[0] = true;
                                apply.commit(checkpoint, false);
                            }));
            MaintenanceOutcome outcome = publish(works.toArray(new FinishedWork[0]));
            if (!applied[0]) {
                collection.faults.heal();
                apply.commit(checkpoint, false);
            }
            published +=
                    (int)
                            outcome.works().stream()
                                    .filter(w -> w.fate() == MaintenanceOutcome.Fate.PUBLISHED)
                                    .count();
            assertThat(fragments().size()).isLessThan(16);
            assertThat(rows()).hasSize(60);
            verified();
        }
        assertThat(published).isGreaterThan(20);
    }

    private CollectionCommittable update(Random random, int round) throws IOException {
        for (int i = 0; i < 6; i++) {
            upsert(random.nextInt(60), 1000L * round + i);
        }
        return writer.checkpoint(1);
    }

    private void updateSome(Random random, int round) throws IOException {
        apply.commit(update(random, round), false);
    }

    @Test
    void readersFindEveryKeyAfterIt() throws IOException {
        fill(4);
        requirePublished(publish(run(compactionOfAll())), 5);
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            for (long key = 0; key < 16; key++) {
                assertThat(reader.get(PrimaryKey.ofU64(key), Projection.SOURCES)).isPresent();
            }
            assertThat(reader.get(PrimaryKey.ofU64(16), Projection.SOURCES)).isEmpty();
        }
    }
}
