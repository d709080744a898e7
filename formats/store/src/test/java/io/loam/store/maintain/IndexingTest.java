package io.loam.store.maintain;

import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceIndexSegment;
import io.loam.codec.lance.LanceManifest;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ScalarIndexRef;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcOptions;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;
import io.loam.store.maintain.FinishedWork.FinishedIndex;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.BuildIndex;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.testing.FaultPlan.Fault;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Index builds and whoever comes between build and commit. */
class IndexingTest extends MaintenanceTestBase {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("indexer/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withIndex(new IndexPolicy(true, 10, 4, 3, 8));

    private List<Long> fragments() throws IOException {
        return rowVersion().fragments().stream().map(LanceFragment::id).toList();
    }

    /** So many fragments of four rows, with keys from 0. */
    private void fill(int from, int to) throws IOException {
        for (int key = 4 * from; key < 4 * to; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
            if (key % 4 == 3) {
                apply();
            }
        }
    }

    private BuildIndex planned() throws IOException {
        return (BuildIndex) new MaintenancePlanner(OPTIONS).plan(collection.open()).get(0);
    }

    private FinishedWork run(MaintenanceTask task) throws IOException {
        return run(OPTIONS, task);
    }

    private FinishedIndex index() throws IOException {
        return (FinishedIndex) run(planned());
    }

    private MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.buildIndexes(live().collectionId()), works);
    }

    private Set<Long> covered(FinishedIndex index) throws IOException {
        return rowVersion().indexSegments().stream()
                .filter(segment -> segment.id().equals(index.segment().id()))
                .map(LanceIndexSegment::fragments)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anIndexIsPlannedBuiltAndPublished() throws IOException {
        fill(0, 3);
        CollectionManifest before = live();
        LanceManifest rows = rowVersion();
        BuildIndex task = planned();
        assertThat(task.fragmentIds()).isEqualTo(fragments());
        FinishedIndex done = index();
        requirePublished(publish(done), before.version() + 1);

        CollectionManifest after = live();
        assertThat(after.kind()).isEqualTo(CommitKind.INDEX_BUILD);
        assertThat(after.scalarIndexes())
                .containsExactly(
                        new ScalarIndexRef(
                                "_pk",
                                done.segment().id().toString(),
                                rows.nextRowId(),
                                "pk_btree"));
        assertThat(covered(done)).containsExactlyInAnyOrderElementsOf(fragments());
        assertThat(after.splits()).isEqualTo(before.splits());
        assertThat(after.applied()).isEqualTo(before.applied());
        assertThat(after.rowIdHighWater()).isEqualTo(before.rowIdHighWater());
        assertThat(rowVersion().nextRowId()).isEqualTo(rows.nextRowId());
        verified();
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).isEmpty();
        HistoryRow row = History.of(collection.open()).rows().get(0);
        assertThat(row.description()).isEqualTo("index 12 rows of 3 fragments in pk_btree (BTREE)");

        // Writers go on, and the index stays.
        collection.delete(2);
        apply();
        assertThat(live().scalarIndexes()).isEqualTo(after.scalarIndexes());
        assertThat(covered(done)).containsExactlyInAnyOrder(1L, 2L, 3L);
        verified();
    }

    @Test
    void theNextOneTakesThePlaceOfTheFirst() throws IOException {
        fill(0, 3);
        FinishedIndex first = index();
        publish(first);
        fill(3, 5);
        FinishedIndex second = index();
        assertThat(second.task().replaced()).containsExactly(first.segment().id());
        requirePublished(publish(second), 7);
        assertThat(rowVersion().indexIds()).containsExactly(second.segment().id());
        assertThat(live().scalarIndexes())
                .extracting(ScalarIndexRef::uuid)
                .containsExactly(second.segment().id().toString());
        assertThat(History.of(collection.open()).rows().get(0).description())
                .isEqualTo(
                        "index 20 rows of 5 fragments in pk_btree (BTREE) in the place of 1"
                                + " segments");
        verified();
    }

    @Test
    void anApplyCommitBetweenIsNotCovered() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        collection.delete(1);
        collection.upsert(77, "{\"n\":1}");
        apply();
        requirePublished(publish(done), 5);
        assertThat(fragments()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(covered(done)).containsExactlyInAnyOrder(1L, 2L, 3L);
        verified();
    }

    @Test
    void anApplyCommitJustBeforeTheSwapIsNotCovered() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        collection.upsert(77, "{\"n\":1}");
        for (int key = 0; key < 4; key++) {
            collection.delete(key); // all of the first fragment
        }
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));
        requirePublished(publish(done), 5);
        assertThat(fragments()).containsExactly(2L, 3L, 4L);
        assertThat(covered(done)).containsExactlyInAnyOrder(2L, 3L);
        verified();
    }

    @Test
    void anApplyCommitThatLosesToAnIndexKeepsIt() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        collection.delete(1);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publish(done), 4)));
        apply.commit(checkpoint, false);
        assertThat(live().version()).isEqualTo(5);
        assertThat(covered(done)).containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(live().scalarIndexes()).hasSize(1);
        verified();
    }

    @Test
    void fragmentsOfIndexedRowsOnlyAreCoveredAfterACompactionBetween() throws IOException {
        fill(0, 4);
        FinishedIndex done = index();
        fill(4, 6);
        collection.delete(1);
        apply();
        requirePublished(publish(run(new CompactFragments(List.of(1L, 2L)))), 8);
        requirePublished(publish(run(new CompactFragments(List.of(3L, 5L)))), 9);
        assertThat(fragments()).containsExactly(4L, 6L, 7L, 8L);
        requirePublished(publish(done), 10);
        // 7 is made of 1 and 2, 8 of 3 and one that was not there.
        assertThat(covered(done)).containsExactlyInAnyOrder(4L, 7L);
        verified();
    }

    @Test
    void withoutTheVersionItWasBuiltOnOnlyItsFragmentsAreCovered() throws IOException {
        fill(0, 4);
        FinishedIndex done = index();
        requirePublished(publish(run(new CompactFragments(List.of(1L, 2L)))), 5);
        collection.memory.delete(collection.open().paths().lanceVersion(done.builtOn()));
        requirePublished(publish(done), 6);
        assertThat(covered(done)).containsExactlyInAnyOrder(3L, 4L);
    }

    @Test
    void anIndexAndACompactionOfARoundAreOneVersion() throws IOException {
        fill(0, 4);
        FinishedIndex done = index();
        FinishedWork compacted = run(new CompactFragments(List.of(1L, 2L, 3L)));
        List<SplitRef> splits = live().splits();
        FinishedWork merged =
                run(new MergeSplits(splits.subList(0, 2).stream().map(SplitRef::ulid).toList()));
        collection.delete(6);
        apply();
        requirePublished(publish(done, compacted, merged), 6);
        assertThat(live().kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(fragments()).containsExactly(4L, 5L);
        assertThat(covered(done)).containsExactlyInAnyOrder(4L, 5L);
        CollectionHandle handle = collection.open();
        // Of the row version between the two nothing is stored.
        assertThat(handle.objects().list(handle.paths().lance() + "_versions/")).hasSize(7);
        verified();
    }

    @Test
    void ofTwoIndexesOfTheSameRowsOneIsPublished() throws IOException {
        fill(0, 3);
        FinishedIndex one = index();
        FinishedIndex two = index();
        MaintenanceOutcome outcome = publish(one, two);
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.PUBLISHED, MaintenanceOutcome.Fate.ABANDONED);
        requireAbandoned(publish(two), "that no other segment covers");
        verified();
    }

    @Test
    void aSwapWhoseAnswerIsLostIsRecognised() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        requirePublished(publish(done), 4);
        MaintenanceOutcome again = publish(done);
        assertThat(again.version()).isZero();
        assertThat(again.isComplete()).isTrue();
        assertThat(again.works().get(0).text()).contains("before");
        verified();
    }

    @Test
    void whatBreaksOffIsDoneAgain() throws IOException {
        fill(0, 3);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/staged/", "/lance/_indices/")) {
                collection.faults.once("put ns/1/collections/1" + part, fault);
                assertThatThrownBy(this::index).hasMessageContaining("injected");
            }
        }
        FinishedIndex done = index();
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/lance/_versions/", "/manifests/")) {
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
        fill(0, 3);
        FinishedIndex done = index();
        requireDroppedIsAbandoned(OPTIONS, done);
    }

    @Test
    void filesThatAreGoneAndOldWorkAreNotPublished() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        FinishedIndex old =
                new FinishedIndex(
                        done.task(),
                        done.segment(),
                        done.rows(),
                        done.builtOn(),
                        done.nextRowId(),
                        done.unit(),
                        done.createdAtMs() - OPTIONS.stagingRetentionMs() / 2 - 1000);
        requireAbandoned(publish(old), "it was begun");
        String folder = collection.open().paths().lanceIndex(done.segment().id().toString());
        collection.memory.delete(folder + "index.idx");
        requireAbandoned(publish(done), folder + " is gone");
    }

    @Test
    void aTaskWhoseFragmentIsGoneIsObsolete() throws IOException {
        fill(0, 3);
        BuildIndex task = planned();
        requirePublished(publish(run(new CompactFragments(List.of(1L, 2L)))), 4);
        assertThatThrownBy(() -> run(task))
                .isInstanceOf(ObsoleteTaskException.class)
                .hasMessageContaining("version 4 has no fragment 1");
    }

    @Test
    void garbageCollectionKeepsWhatMayBePublishedAndWhatIs() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        CollectionHandle handle = collection.open();
        String file = handle.paths().lanceIndex(done.segment().id().toString()) + "index.idx";
        String descriptor = handle.paths().stagedDescriptor(done.unit());
        assertThat(fate(file)).isEqualTo(Fate.STAGED);
        assertThat(fate(descriptor)).isEqualTo(Fate.STAGED);
        publish(done);
        assertThat(fate(file)).isEqualTo(Fate.RETAINED);
        assertThat(fate(descriptor)).isEqualTo(Fate.PUBLISHED);
        fill(3, 5);
        publish(index());
        // A retained version names it still.
        assertThat(fate(file)).isEqualTo(Fate.RETAINED);
    }

    private Fate fate(String path) throws IOException {
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            return collector.plan().verdicts().stream()
                    .filter(verdict -> verdict.path().equals(path))
                    .findFirst()
                    .orElseThrow()
                    .fate();
        }
    }

    @Test
    void theVerifierMissesTheFilesOfAnIndex() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        publish(done);
        CollectionHandle handle = collection.open();
        String folder = handle.paths().lanceIndex(done.segment().id().toString());
        collection.memory.delete(folder + "index.idx");
        assertThat(collection.verify().violations())
                .anySatisfy(v -> assertThat(v).contains(folder + ": holds no object"));
    }

    @Test
    void theVerifierKnowsASegmentThatNoManifestNames() throws IOException {
        fill(0, 3);
        FinishedIndex done = index();
        publish(done);
        LiveManifest live = collection.open().live();
        CollectionManifest m = live.manifest();
        CollectionManifest forgetful =
                new CollectionManifest(
                        m.version(),
                        m.parentVersion(),
                        m.collectionId(),
                        m.schemaVersion(),
                        m.createdAtMs(),
                        m.lanceVersion(),
                        m.splits(),
                        m.vectorIndexes(),
                        m.hotArtifacts(),
                        m.applied(),
                        m.liveDocCount(),
                        m.parentManifest(),
                        m.kind(),
                        m.pkDelta(),
                        m.deadLetters(),
                        m.deadLettersTotal(),
                        m.skippedOffsetsTotal(),
                        List.of(),
                        m.operation(),
                        m.operationPath(),
                        m.properties(),
                        m.rowIdHighWater());
        collection.memory.delete(live.path());
        collection.memory.put(live.path(), ManifestCodec.encode(forgetful));
        assertThat(collection.verify().violations())
                .contains(
                        "version 4: names the index segments [], but its row version has ["
                                + done.segment().id()
                                + "]");
    }

    @Test
    void tasksAndWorkTravel() throws Exception {
        fill(0, 3);
        FinishedIndex done = index();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(done);
        }
        FinishedIndex read;
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            read = (FinishedIndex) in.readObject();
        }
        assertThat(read.task()).isEqualTo(done.task());
        requirePublished(publish(read), 4);
        verified();
    }
}
