package io.loam.store.maintain;

import io.loam.codec.hot.HotDescriptor;
import io.loam.codec.hot.HotDescriptorCodec;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.history.History;
import io.loam.store.hot.HotObjects;
import io.loam.store.maintain.FinishedWork.FinishedHot;
import io.loam.store.maintain.MaintenanceTask.BuildHot;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.metastore.Lease;
import io.loam.store.object.ObjectInfo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.testing.FakeHotEngine;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Hot graphs: when they are due, and whoever comes between build and commit. */
class HotBuildingTest extends MaintenanceTestBase {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("hot/01")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withIndex(IndexPolicy.DEFAULT.withEnabled(false))
                    .withHot(new HotPolicy(true, 4, 500_000, 60_000));
    private static final String PINNED = "[\"v\"]";

    private long clockMs = 1_700_000_000_000L;

    @BeforeEach
    @Override
    void create() throws IOException {
        start(TestCollection.inMemory(dir, 2, schema(1, PINNED), () -> clockMs));
    }

    private static CollectionSchema schema(long version, String hot) {
        List<Vector> vectors =
                List.of(vector("v", Distance.EUCLID), vector("w", Distance.MANHATTAN));
        return TestCollection.schema(
                version, List.of("n"), vectors, Map.of(HotConfiguration.KEY, hot));
    }

    private static Vector vector(String name, Distance distance) {
        return new Vector(
                name, 2, distance, Element.F32, new VectorIndex.Auto(), Hnsw.DEFAULT, null);
    }

    /** One commit of four rows on a line. */
    private void fill(int from) throws IOException {
        for (int key = from; key < from + 4; key++) {
            collection.upsert(key, "{\"n\":" + key + "}", "v", key, 0);
        }
        apply();
    }

    private List<MaintenanceTask> planned() throws IOException {
        return new MaintenancePlanner(OPTIONS).plan(collection.open());
    }

    private FinishedHot built() throws IOException {
        return (FinishedHot) run(OPTIONS, new BuildHot(0, "_vector_0", "v"));
    }

    private MaintenanceOutcome publish(FinishedWork... works) throws IOException {
        return publish(OPTIONS, TaskKeys.buildHot(live().collectionId(), 0), works);
    }

    private HotArtifactRef artifact() throws IOException {
        assertThat(live().hotArtifacts()).hasSize(1);
        return live().hotArtifacts().get(0);
    }

    private static List<Long> nearest(CollectionReader reader, float x, int k) throws IOException {
        return reader
                .nearest("v", new float[] {x, 0}, k, null, SearchEffort.DEFAULT, Projection.KEYS)
                .stream()
                .map(ScoredRow::row)
                .map(row -> row.key().u64())
                .toList();
    }

    private void served(boolean hot, long... keys) throws IOException {
        try (CollectionHandle handle = collection.open();
                CollectionReader reader = CollectionReader.open(handle)) {
            assertThat(reader.isHot("v")).isEqualTo(hot);
            assertThat(nearest(reader, -1, keys.length).stream().mapToLong(Long::longValue))
                    .containsExactly(Arrays.stream(keys).boxed().toArray(Long[]::new));
        }
        assertThat(FakeHotEngine.OPEN).hasValue(0);
    }

    @Test
    void aGraphIsPlannedBuiltPublishedAndServed() throws IOException {
        assertThat(planned()).as("of nothing").isEmpty();
        fill(0);
        assertThat(planned()).containsExactly(new BuildHot(0, "_vector_0", "v"));
        FinishedHot done = built();
        requirePublished(publish(done), 2);
        CollectionManifest after = live();
        assertThat(after.kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(artifact()).isEqualTo(new HotArtifactRef("hnsw", "_vector_0", done.prefix(), 1));
        assertThat(done.prefix())
                .startsWith("ns/1/collections/1/hot/hnsw/_vector_0/00000000000000000001-");
        assertThat(History.of(collection.open()).rows().get(0).description())
                .isEqualTo("hot graph for _vector_0 (4 points of version 1)");
        assertThat(planned()).as("while it is current").isEmpty();
        served(true, 0, 1, 2);
        verified();

        collection.delete(1);
        collection.upsert(3, "{\"n\":3}", "v", -5, 0);
        fill(4);
        assertThat(artifact().prefix()).isEqualTo(done.prefix());
        served(true, 0, 2, 3, 4, 5);
        verified();
    }

    @Test
    void aStaleGraphIsBuiltAnewAfterAWhileOrAfterManyInserts() throws IOException {
        fill(0);
        fill(4);
        publish(built());
        List<SplitRef> splits = live().splits();
        publish(
                OPTIONS,
                TaskKeys.mergeSplits(1),
                run(OPTIONS, new MergeSplits(splits.stream().map(SplitRef::ulid).toList())));
        clockMs += 60_001;
        assertThat(planned()).as("a merge makes nothing stale").isEmpty();
        collection.upsert(90, "{}", "v", 90, 0);
        apply();
        assertThat(planned()).isEmpty();
        clockMs += 59_999;
        assertThat(planned()).isEmpty();
        clockMs += 1;
        assertThat(planned()).hasSize(1);

        publish(built());
        assertThat(artifact().sourceVersion()).isEqualTo(5);
        assertThat(planned()).isEmpty();
        fill(20);
        assertThat(planned()).as("4 rows, which are less than half of 9").isEmpty();
        collection.upsert(91, "{}", "v", 91, 0);
        apply();
        assertThat(planned()).hasSize(1);
    }

    @Test
    void theRuleOfInsertsAndAge() {
        assertThat(HotPolicy.DEFAULT.isDue(9_999, 1_000, 599_999)).isFalse();
        assertThat(HotPolicy.DEFAULT.isDue(10_000, 1_000, 0)).isTrue();
        assertThat(HotPolicy.DEFAULT.isDue(199_999, 1_000_000, 0)).isFalse();
        assertThat(HotPolicy.DEFAULT.isDue(200_000, 1_000_000, 0)).isTrue();
        assertThat(HotPolicy.DEFAULT.isDue(0, 1_000_000, 600_000)).isTrue();
    }

    @Test
    void withoutTheVersionsBetweenItIsStaleFromTheStart() throws IOException {
        fill(0);
        publish(built());
        collection.delete(0);
        apply();
        collection.delete(1);
        apply();
        assertThat(planned()).isEmpty();
        CollectionManifest parent = live();
        collection.memory.delete(parent.parentManifest());
        assertThat(planned()).hasSize(1);
    }

    @Test
    void whatIsMissingDamagedOrOfAnotherEngineIsBuiltAnewAndNotServed() throws IOException {
        fill(0);
        publish(built());
        CollectionHandle handle = collection.open();
        HotObjects objects = new HotObjects(handle.objects(), artifact().prefix());
        for (ObjectInfo object : handle.objects().list(artifact().prefix())) {
            byte[] bytes = handle.objects().get(object.path());
            collection.memory.delete(object.path());
            assertThat(planned()).as(object.path()).hasSize(1);
            assertThat(collection.verify().violations())
                    .anySatisfy(found -> assertThat(found).contains(object.path() + ": is gone"));
            collection.memory.put(object.path(), bytes);
        }
        assertThat(planned()).isEmpty();
        HotDescriptor ours = objects.descriptor();
        HotDescriptor other =
                new HotDescriptor(
                        "qdrant-edge-0.8",
                        ours.collection(),
                        ours.column(),
                        ours.vector(),
                        ours.spec(),
                        ours.sourceVersion(),
                        ours.lanceVersion(),
                        ours.nextRowId(),
                        ours.points(),
                        ours.scanned(),
                        ours.files(),
                        ours.coveredBytes(),
                        ours.coveredCrc32c(),
                        ours.chunkBytes(),
                        ours.createdAtMs());
        collection.memory.delete(objects.descriptorPath());
        collection.memory.put(objects.descriptorPath(), HotDescriptorCodec.encode(other));
        served(false, 0, 1);
        assertThat(planned()).hasSize(1);
        requirePublished(publish(built()), 3);
        served(true, 0, 1);
    }

    @Test
    void vectorsArePromotedWhileALeaseIsHeld() throws IOException {
        collection.close();
        start(TestCollection.inMemory(dir, 2, schema(1, "[]"), () -> clockMs));
        fill(0);
        assertThat(planned()).isEmpty();
        CollectionHandle handle = collection.open();
        String key = TaskKeys.promoteHot(handle.info().namespaceId(), handle.info().id());
        Lease text = handle.metastore().acquireLease(key, "node-1;text", 1_000);
        assertThat(planned()).isEmpty();
        handle.metastore().releaseLease(key, "node-1;text", text.epoch());
        handle.metastore().acquireLease(key, "node-1;vectors,text", 1_000);
        assertThat(planned())
                .containsExactly(
                        new BuildHot(0, "_vector_0", "v"), new BuildHot(1, "_vector_1", "w"));
        clockMs += 1_001;
        assertThat(planned()).isEmpty();
    }

    @Test
    void aRoundTakesTheLeaseOfTheVector() throws IOException {
        fill(0);
        CollectionHandle handle = collection.open();
        String key = TaskKeys.lease(TaskKeys.buildHot(1, 0));
        Lease held = handle.metastore().acquireLease(key, "another", 1_000);
        assertThat(new MaintenanceRound(handle, OPTIONS, dir).run().held())
                .singleElement()
                .satisfies(line -> assertThat(line).contains("hot-build/1/0 is held by another"));
        handle.metastore().releaseLease(key, "another", held.epoch());
        RoundReport report = new MaintenanceRound(handle, OPTIONS, dir).run();
        assertThat(report.version()).isEqualTo(2);
        assertThat(handle.metastore().lease(key).orElseThrow().owner()).isNull();
    }

    @Test
    void theNewerOfTwoIsKept() throws IOException {
        fill(0);
        FinishedHot old = built();
        fill(4);
        FinishedHot newer = built();
        requirePublished(publish(newer), 3);
        requireAbandoned(publish(old), "another graph of version 2 was published");
        assertThat(artifact().prefix()).isEqualTo(newer.prefix());
        verified();
    }

    @Test
    void anApplyCommitBetweenChangesNothingAboutIt() throws IOException {
        fill(0);
        FinishedHot done = built();
        collection.delete(0);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));
        requirePublished(publish(done), 3);
        served(true, 1, 2);
        FinishedHot next = built();
        collection.delete(1);
        CollectionCommittable later = writer.checkpoint(1);
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publish(next), 4)));
        apply.commit(later, false);
        assertThat(artifact().prefix()).isEqualTo(next.prefix());
        served(true, 2, 3);
        verified();
    }

    @Test
    void aSwapWhoseAnswerIsLostIsRecognised() throws IOException {
        fill(0);
        FinishedHot done = built();
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        requirePublished(publish(done), 2);
        MaintenanceOutcome again = publish(done);
        assertThat(again.version()).isZero();
        assertThat(again.works().get(0).text()).contains("before");
        verified();
    }

    @Test
    void whatBreaksOffIsDoneAgain() throws IOException {
        fill(0);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("staged/", "hot/hnsw/")) {
                collection.faults.once("put ns/1/collections/1/" + part, fault);
                assertThatThrownBy(this::built).hasMessageContaining("injected");
                assertThat(dir.resolve("work")).isEmptyDirectory();
            }
        }
        FinishedHot done = built();
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            collection.faults.once("put ns/1/collections/1/manifests/", fault);
            assertThatThrownBy(() -> publish(done)).hasMessageContaining("injected");
            assertThat(live().version()).isEqualTo(1);
        }
        requirePublished(publish(done), 2);
        verified();
    }

    @Test
    void objectsThatAreGoneOldWorkAndDroppedCollections() throws IOException {
        fill(0);
        FinishedHot done = built();
        FinishedHot old =
                new FinishedHot(
                        done.task(),
                        done.prefix(),
                        done.sourceVersion(),
                        done.points(),
                        done.unit(),
                        done.createdAtMs() - OPTIONS.stagingRetentionMs() / 2 - 1_000);
        requireAbandoned(publish(old), "it was begun");
        collection.memory.delete(done.prefix() + "descriptor.bin");
        requireAbandoned(publish(done), done.prefix() + "descriptor.bin is gone");

        FinishedHot again = built();
        requireDroppedIsAbandoned(OPTIONS, again);
    }

    @Test
    void garbageCollectionKeepsWhatIsNamedAndTakesWhatWasReplaced() throws IOException {
        fill(0);
        FinishedHot first = built();
        assertThat(fates(first)).containsOnly(Fate.STAGED);
        publish(first);
        assertThat(fates(first)).hasSizeGreaterThan(3).containsOnly(Fate.RETAINED);
        fill(4);
        FinishedHot second = built();
        publish(second);
        assertThat(fates(first)).as("an older version names it").containsOnly(Fate.RETAINED);
        clockMs += GcOptions.DEFAULT.retention().retentionMs() + OPTIONS.stagingRetentionMs();
        for (int i = 0; i <= GcOptions.DEFAULT.retention().keepManifests(); i++) {
            fill(100 + 4 * i);
        }
        clockMs += GcOptions.DEFAULT.retention().retentionMs() + GcOptions.DEFAULT.graceMs();
        fill(90);
        collect();
        collect();
        CollectionHandle handle = collection.open();
        assertThat(handle.objects().list(first.prefix())).isEmpty();
        assertThat(handle.objects().list(second.prefix())).isNotEmpty();
        served(true, 0, 1, 2);
        verified();
    }

    private List<Fate> fates(FinishedHot hot) throws IOException {
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            return collector.plan().verdicts().stream()
                    .filter(verdict -> verdict.path().startsWith(hot.prefix()))
                    .map(verdict -> verdict.fate())
                    .toList();
        }
    }

    private void collect() throws IOException {
        try (GcLease lease = GcLease.acquire(collection.open().metastore(), "gc", 60_000);
                GarbageCollector collector =
                        new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            collector.sweep(lease);
        }
    }

    @Test
    void oneGraphServesAllVersionsThatNameIt() throws IOException {
        fill(0);
        publish(built());
        CollectionHandle handle = collection.open();
        CollectionReader before = CollectionReader.open(handle);
        assertThat(nearest(before, -1, 2)).containsExactly(0L, 1L);
        collection.delete(0);
        apply();
        CollectionReader after = CollectionReader.open(handle);
        assertThat(nearest(after, -1, 2)).containsExactly(1L, 2L);
        assertThat(FakeHotEngine.OPEN).hasValue(1);
        before.close();
        publish(built());
        CollectionReader last = CollectionReader.open(handle);
        assertThat(nearest(last, -1, 2)).containsExactly(1L, 2L);
        assertThat(FakeHotEngine.OPEN).hasValue(2);
        after.close();
        assertThat(FakeHotEngine.OPEN).hasValue(1);
        handle.close();
        assertThat(FakeHotEngine.OPEN).as("a reader uses it").hasValue(1);
        last.close();
        assertThat(FakeHotEngine.OPEN).hasValue(0);
    }

    @Test
    void tasksAndWorkTravel() throws Exception {
        fill(0);
        FinishedHot done = built();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(done);
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isEqualTo(done);
        }
    }
}
