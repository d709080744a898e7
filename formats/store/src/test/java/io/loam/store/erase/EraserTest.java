package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.erase.ErasureRequest;
import io.loam.codec.erase.ErasureRequest.Tagged;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.staged.UnitDescriptor;
import io.loam.codec.testing.Campaign;
import io.loam.store.CollectionHandle;
import io.loam.store.StoredObjects;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.erase.Leftovers.Leftover;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.object.ParallelIo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;
import io.loam.store.trim.StreamLog;

import com.github.luben.zstd.Zstd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Erasures from the request to the last look, on fakes. */
class EraserTest {
    private static final long ERASED = 5;
    private static final String SECRET_TEXT = "nobody is to read this of number ";

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private TestWriter writer;
    private LinkApplyCommitter apply;
    private final ErasureSecret secret = new ErasureSecret(new byte[ErasureSecret.BYTES]);
    private final Map<Integer, Long> starts = new TreeMap<>(Map.of(0, 0L, 1, 0L));
    private final List<String> said = new ArrayList<>();

    /** The log of the collection, of which only the start moves. */
    private final class MemoryLog implements StreamLog {
        @Override
        public String id() {
            return "";
        }

        @Override
        public Map<Integer, Long> starts() {
            return starts;
        }

        @Override
        public Map<Integer, Long> ends() {
            return EraserTest.this.ends();
        }

        @Override
        public void deleteBefore(Map<Integer, Long> offsets) {
            starts.putAll(offsets);
        }
    }

    private Map<Integer, Long> ends() {
        Map<Integer, Long> ends = new TreeMap<>();
        for (int p = 0; p < 2; p++) {
            ends.put(p, (long) collection.log.from(p, 0).size());
        }
        return ends;
    }

    @BeforeEach
    void fill() throws IOException {
        Path fresh = Files.createTempDirectory(dir, "run");
        collection = TestCollection.inMemory(fresh, 2, () -> clockMs);
        writer = collection.writer();
        apply = new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
        for (int round = 0; round < 3; round++) {
            for (long key = 4 * round; key < 4 * round + 4; key++) {
                upsert(key);
            }
            upsert(ERASED);
            apply();
        }
        collection.log.add(0, PrimaryKey.ofU64(ERASED).canonical(), new byte[] {99, 99});
        collection.delete(7);
        apply();
        upsert(1);
        apply();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void upsert(long key) {
        collection.upsert(key, "{\"n\":" + key + ",\"s\":\"" + SECRET_TEXT + key + "\"}");
    }

    private void apply() throws IOException {
        apply.commit(writer.checkpoint(1), false);
        clockMs += 1000;
    }

    private static Collection<PrimaryKey> keys() {
        return List.of(PrimaryKey.ofU64(ERASED));
    }

    private Eraser eraser() throws IOException {
        return eraser(EraseOptions.of("test").withWaitMs(0).withGraceMs(1000));
    }

    private Eraser eraser(EraseOptions options) throws IOException {
        return new Eraser(
                collection.open(),
                options,
                Files.createDirectories(dir.resolve("work")),
                said::add,
                ms -> clockMs += ms);
    }

    private ErasureRequest deletedAndRequested() throws IOException {
        collection.delete(ERASED);
        ErasureRequest request = eraser().request(keys(), ends(), secret);
        apply();
        return request;
    }

    private ErasedKeys known(ErasureRequest request) {
        return ErasedKeys.of(request, secret, keys());
    }

    private ErasedKeys hashed(ErasureRequest request) {
        return ErasedKeys.of(request, secret, List.of());
    }

    private static List<byte[]> sequences() {
        return List.of((SECRET_TEXT + ERASED).getBytes(StandardCharsets.UTF_8));
    }

    private Leftovers run(ErasureRequest request, ErasedKeys keys) throws IOException {
        return eraser().run(request, keys, sequences(), new MemoryLog());
    }

    private Leftovers look(ErasureRequest request) throws IOException {
        return LeftoverScan.of(collection.open(), hashed(request), sequences());
    }

    private void requireErased(ErasureRequest request) throws IOException {
        assertThat(look(request).found()).isEmpty();
        CollectionHandle handle = collection.open();
        assertThat(new ErasureRecords(handle.objects(), 1).completion(request.id())).isPresent();
        requireOthers(handle);
        assertThat(starts).isEqualTo(request.offsets());
    }

    private static void requireOthers(CollectionHandle handle) throws IOException {
        try (CollectionReader reader = CollectionReader.open(handle)) {
            for (long key = 0; key < 12; key++) {
                assertThat(reader.get(PrimaryKey.ofU64(key), Projection.SOURCES).isPresent())
                        .as("key " + key)
                        .isEqualTo(key != ERASED && key != 7);
            }
        }
    }

    @Test
    void nothingIsLeft() throws IOException {
        ErasureRequest request = deletedAndRequested();
        Leftovers before = look(request);
        assertThat(before.found())
                .extracting(Leftover::path)
                .anyMatch(path -> path.contains("/lance/data/"))
                .anyMatch(path -> path.contains("/text/splits/"))
                .anyMatch(path -> path.contains("/pkdelta/"))
                .anyMatch(path -> path.contains("/deadletters/"))
                .anyMatch(path -> path.endsWith(".keys"))
                .anyMatch(path -> path.endsWith(".dlp"));
        Leftovers after = run(request, known(request));
        assertThat(after.found()).isEmpty();
        assertThat(after.objects()).isGreaterThan(5);
        assertThat(after.sequences()).isEqualTo(1);
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void nothingIsLeftWhereOnlyHashesAreKnown() throws IOException {
        ErasureRequest request = deletedAndRequested();
        assertThat(run(request, hashed(request)).found()).isEmpty();
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void theJobGoesOn() throws IOException {
        ErasureRequest request = deletedAndRequested();
        run(request, known(request));
        upsert(100);
        collection.delete(2);
        apply();
        assertThat(collection.verify().violations()).isEmpty();
        assertThat(look(request).found()).isEmpty();
    }

    @Test
    void whatIsWrittenAgainStays() throws IOException {
        ErasureRequest request = deletedAndRequested();
        upsert(ERASED);
        apply();
        Leftovers left = run(request, known(request));
        assertThat(left.found()).isEmpty();
        assertThat(left.writtenAgain()).isEqualTo(1);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void itWaitsForTheDeletions() throws IOException {
        collection.delete(ERASED);
        ErasureRequest request = eraser().request(keys(), ends(), secret);
        assertThatThrownBy(() -> run(request, known(request)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are not applied yet");
        apply();
        run(request, known(request));
        requireErased(request);
    }

    @Test
    void olderVersionsAreReleased() throws IOException {
        ErasureRequest request = deletedAndRequested();
        long before = collection.open().live().version();
        run(request, known(request));
        CollectionHandle handle = collection.open();
        assertThatThrownBy(() -> CollectionReader.open(handle, before))
                .hasMessageContaining("cannot be opened");
        assertThatThrownBy(
                        () ->
                                new Tags(handle)
                                        .create(
                                                "late",
                                                new TagTarget.Version(before),
                                                TagOptions.DEFAULT))
                .hasMessageContaining("version " + before);
    }

    @Test
    void tagsNameCopies() throws IOException {
        Tags tags = new Tags(collection.open());
        tags.create("two", new TagTarget.Version(2), TagOptions.DEFAULT);
        tags.create("now", new TagTarget.Version(5), TagOptions.DEFAULT);
        ErasureRequest request = deletedAndRequested();
        assertThat(run(request, known(request)).found()).isEmpty();
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
        assertThat(keysOf("two")).containsExactly(0L, 1L, 2L, 3L, 4L, 6L, 7L);
        assertThat(keysOf("now")).containsExactly(0L, 1L, 2L, 3L, 4L, 6L, 8L, 9L, 10L, 11L);
        assertThat(tags.open("two").version()).isEqualTo(2);
        assertThat(tags.open("two").liveDocCount()).isEqualTo(7);
    }

    private List<Long> keysOf(String tag) throws IOException {
        List<Long> keys = new ArrayList<>();
        try (CollectionReader reader = CollectionReader.openTag(collection.open(), tag)) {
            for (long key = 0; key < 12; key++) {
                if (reader.get(PrimaryKey.ofU64(key), Projection.SOURCES).isPresent()) {
                    keys.add(key);
                }
            }
        }
        return keys;
    }

    @Test
    void tagsAreDropped() throws IOException {
        Tags tags = new Tags(collection.open());
        tags.create("two", new TagTarget.Version(2), TagOptions.DEFAULT);
        collection.delete(ERASED);
        EraseOptions options =
                EraseOptions.of("test").withWaitMs(0).withGraceMs(0).withTagged(Tagged.DROP);
        ErasureRequest request = eraser(options).request(keys(), ends(), secret);
        apply();
        assertThat(run(request, known(request)).found()).isEmpty();
        assertThat(tags.list()).isEmpty();
        requireErased(request);
    }

    @Test
    void versionsStayReadableForTheGrace() throws IOException {
        ErasureRequest request = deletedAndRequested();
        long asked = clockMs;
        eraser(EraseOptions.of("test").withGraceMs(60_000))
                .run(request, known(request), sequences(), new MemoryLog());
        assertThat(clockMs - asked).isGreaterThanOrEqualTo(60_000);
        requireErased(request);
    }

    /**
     * It has the document in it, and would bring it back. What it uploaded might be published for
     * all the collector knows, and stays until that is sure not to happen.
     */
    @Test
    void aMergeThatWasBegunBeforeIsNotPublished() throws IOException {
        CollectionHandle handle = collection.open();
        MaintenanceOptions merging = MaintenanceOptions.of("merger/1");
        RoundLeases leases = RoundLeases.acquire(handle, merging);
        MergeSplits task = new MergeSplits(live().splits().stream().map(SplitRef::ulid).toList());
        MergedSplits merged =
                (MergedSplits)
                        new CollectionTaskRunner(
                                        handle,
                                        merging,
                                        Files.createDirectories(dir.resolve("merge")))
                                .run(task);
        ErasureRequest request = deletedAndRequested();
        assertThatThrownBy(() -> run(request, known(request)))
                .hasMessageContaining("side jobs of the collection are running")
                .hasMessageContaining("merger/1");
        clockMs += merging.leaseTtlMs() + 1;
        Leftovers left = run(request, known(request));
        try (MaintenanceCommitter committer =
                new MaintenanceCommitter(
                        handle, merging, leases.fence(), ParallelIo.inOrder(), ms -> {})) {
            assertThat(committer.publish(List.of(merged)).isComplete()).isFalse();
        }
        assertThat(left.found())
                .isNotEmpty()
                .extracting(Leftover::path)
                .containsOnly(handle.paths().split(merged.split().ulid()));
        assertThat(new ErasureRecords(handle.objects(), 1).completion(request.id())).isEmpty();
        clockMs += Duration.ofDays(8).toMillis();
        assertThat(run(request, hashed(request)).found()).isEmpty();
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
    }

    /** Their vectors are codes, which could not be told by looking at them. */
    @Test
    void indexesAndGraphsThatWereNeverPublishedGo() throws IOException {
        CollectionHandle handle = collection.open();
        String index = handle.paths().lanceIndex("0d6f8a3e-0000-4000-8000-000000000000");
        String hot = handle.paths().hotArtifact("v", 3, handle.ulids().next());
        for (String prefix : List.of(index, hot)) {
            Ulid unit = handle.ulids().next();
            StoredObjects.announce(
                    handle.objects(),
                    handle.paths(),
                    new UnitDescriptor(unit, unit, clockMs, List.of(prefix)));
            handle.objects().put(prefix + "files/of.000000", Zstd.compress(new byte[] {1, 2}));
        }
        clockMs += 1000;
        ErasureRequest request = deletedAndRequested();
        assertThat(run(request, known(request)).found()).isEmpty();
        assertThat(handle.objects().list(index)).isEmpty();
        assertThat(handle.objects().list(hot)).isEmpty();
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
    }

    /** Somebody without a lease goes on to upload. */
    @Test
    void anIndexThatComesWhileItIsErasedKeepsItOpen() throws IOException {
        CollectionHandle handle = collection.open();
        String index = handle.paths().lanceIndex("0d6f8a3e-0000-4000-8000-000000000000");
        ErasureRequest request = deletedAndRequested();
        Ulid unit = handle.ulids().next();
        StoredObjects.announce(
                handle.objects(),
                handle.paths(),
                new UnitDescriptor(unit, unit, clockMs, List.of(index)));
        clockMs += 1000;
        Eraser eraser =
                new Eraser(
                        handle,
                        EraseOptions.of("test").withWaitMs(0).withGraceMs(1000),
                        Files.createDirectories(dir.resolve("work")),
                        step -> {
                            if (step.contains("is released")) {
                                upload(handle, index + "index.idx");
                            }
                        },
                        ms -> clockMs += ms);
        Leftovers left = eraser.run(request, known(request), sequences(), new MemoryLog());
        assertThat(left.found()).containsExactly(new Leftover(index, StrayArtifacts.LEFT));
        assertThat(new ErasureRecords(handle.objects(), 1).completion(request.id())).isEmpty();
        clockMs += Duration.ofDays(8).toMillis();
        assertThat(run(request, hashed(request)).found()).isEmpty();
        requireErased(request);
    }

    private static void upload(CollectionHandle handle, String path) {
        try {
            handle.objects().put(path, new byte[] {1});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing would plan it now, but it was begun when something did. */
    @Test
    void aHotBuildOfAVectorThatNobodyWantsIsWaitedFor() throws IOException {
        collection.close();
        Vector vector =
                new Vector(
                        "v",
                        2,
                        Distance.EUCLID,
                        Element.F32,
                        new VectorIndex.None(),
                        Hnsw.DEFAULT,
                        null);
        collection =
                TestCollection.inMemory(
                        Files.createTempDirectory(dir, "v"),
                        2,
                        TestCollection.schema(1, List.of("n"), List.of(vector)),
                        () -> clockMs);
        writer = collection.writer();
        apply = new LinkApplyCommitter(collection.open(), CommitterOptions.of("writer"), ms -> {});
        collection.upsert(ERASED, "{\"n\":5}", "v", 1, 2);
        collection.upsert(6, "{\"n\":6}", "v", 3, 4);
        apply();
        ErasureRequest request = deletedAndRequested();
        String key = TaskKeys.lease(TaskKeys.buildHot(collection.open().info().id(), 0));
        collection.open().metastore().acquireLease(key, "builder/1", 60_000);
        assertThatThrownBy(() -> run(request, known(request)))
                .hasMessageContaining("side jobs of the collection are running")
                .hasMessageContaining("builder/1");
        clockMs += 60_001;
        assertThat(run(request, known(request)).found()).isEmpty();
    }

    @Test
    void aCommitWhoseAnswerWasLostIsKnownAfterTheRelease() throws IOException {
        collection.delete(ERASED);
        ErasureRequest request = eraser().request(keys(), ends(), secret);
        CollectionCommittable last = writer.checkpoint(1);
        apply.commit(last, false);
        run(request, known(request));
        assertThat(apply.commit(last, true)).isInstanceOf(CommitOutcome.AlreadyCommitted.class);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void inDirectModeItDeletesItself() throws IOException {
        collection.close();
        collection = TestCollection.inMemory(Files.createTempDirectory(dir, "d"), 2, () -> clockMs);
        writer = collection.directWriter();
        for (long key = 0; key < 8; key++) {
            upsert(key);
        }
        try (LinkApplyCommitter direct =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("w"), ms -> {})) {
            direct.commit(writer.checkpoint(2), false);
        }
        ErasureRequest request = eraser().request(keys(), Map.of(), secret);
        assertThat(look(request).writtenAgain()).isEqualTo(1);
        Leftovers left = eraser().run(request, known(request), sequences(), null);
        assertThat(left.writtenAgain()).isZero();
        assertThat(left.found()).isEmpty();
        assertThat(look(request).found()).isEmpty();
        assertThat(live().liveDocCount()).isEqualTo(7);
    }

    /**
     * Every operation of the stores fails once, with or without having taken effect; in the short
     * form one in eleven.
     */
    @Test
    void itGoesOnFromWhereverItBrokeOff() throws IOException {
        int operations = operations();
        assertThat(operations).isGreaterThan(50);
        int step = Campaign.size(11, 1);
        int runs = 0;
        int brokeOff = 0;
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (int use = step == 1 ? 1 : fault.ordinal(); use <= operations; use += step) {
                runs++;
                brokeOff += breaksOff(fault, use) ? 1 : 0;
            }
        }
        assertThat(brokeOff).isGreaterThan(runs / 4);
        Campaign.report(
                "erasures",
                "| operations of one erasure | erasures | broke off | left at the end | violations |\n"
                        + "|---|---|---|---|---|\n| "
                        + operations
                        + " | "
                        + runs
                        + " | "
                        + brokeOff
                        + " | 0 | 0 |");
    }

    private boolean breaksOff(Fault fault, int failing) throws IOException {
        collection.close();
        fill();
        starts.replaceAll((partition, start) -> 0L);
        new Tags(collection.open()).create("two", new TagTarget.Version(2), TagOptions.DEFAULT);
        ErasureRequest request = deletedAndRequested();
        var rule = collection.faults.rule(any -> true, seen -> seen == failing, fault);
        boolean broke = false;
        try {
            run(request, known(request));
        } catch (IOException | RuntimeException e) {
            broke = true;
            clockMs += 10 * 60_000; // leases of the dead run out
        }
        collection.faults.heal();
        assertThat(run(request, hashed(request)).found()).as(fault + " " + rule.fired()).isEmpty();
        requireErased(request);
        assertThat(collection.verify().violations()).isEmpty();
        return broke;
    }

    private int operations() throws IOException {
        new Tags(collection.open()).create("two", new TagTarget.Version(2), TagOptions.DEFAULT);
        ErasureRequest request = deletedAndRequested();
        int before = collection.faults.operations().size();
        run(request, known(request));
        return collection.faults.operations().size() - before;
    }

    @Test
    void anotherSecretIsRefused() throws IOException {
        ErasureRequest request = deletedAndRequested();
        byte[] other = new byte[ErasureSecret.BYTES];
        other[0] = 1;
        assertThatThrownBy(() -> ErasedKeys.of(request, new ErasureSecret(other), List.of()))
                .hasMessageContaining("another secret");
        assertThatThrownBy(() -> ErasedKeys.of(request, secret, Set.of(PrimaryKey.ofU64(6))))
                .hasMessageContaining("not about one of the keys");
    }

    @Test
    void recordsHoldNoKey() throws IOException {
        ErasureRequest request = deletedAndRequested();
        ErasureRequest read =
                new ErasureRecords(collection.open().objects(), 1)
                        .request(request.id())
                        .orElseThrow();
        assertThat(read.hashes()).hasSize(1);
        assertThat(read.hashes().get(0))
                .isEqualTo(secret.hash(PrimaryKey.ofU64(ERASED).canonical()));
        assertThat(read.offsets()).isEqualTo(request.offsets());
        Ulid nobody = new Ulid(1, 1);
        assertThat(new ErasureRecords(collection.open().objects(), 1).request(nobody)).isEmpty();
    }

    @Test
    void documentsAreFoundAliveAndDead() throws IOException {
        ErasedDocuments alive =
                ErasedDocuments.read(collection.open(), PrimaryKey.ofU64(ERASED)::equals);
        assertThat(alive.count()).isGreaterThan(1);
        assertThat(alive.sequences())
                .anyMatch(
                        found ->
                                new String(found, StandardCharsets.UTF_8)
                                        .equals(SECRET_TEXT + ERASED));
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    @Test
    void theHistoryTells() throws IOException {
        ErasureRequest request = deletedAndRequested();
        run(request, known(request));
        assertThat(live().operation().actions())
                .anySatisfy(
                        action ->
                                assertThat(action.description())
                                        .isEqualTo("erase " + request.id() + ": release"));
    }
}
