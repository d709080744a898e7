package io.loam.store.gc;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.ObjectShape;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.commit.CommitRefusedException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.object.ObjectInfo;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GarbageCollectorTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final int COMMITS = 14;

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private CollectionPaths paths;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 2, () -> clockMs);
        paths = collection.open().paths();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private LinkApplyCommitter committer() throws IOException {
        return new LinkApplyCommitter(
                collection.open(), CommitterOptions.of("a").withTakeOver(true));
    }

    private void commit(TestWriter writer) throws IOException {
        try (LinkApplyCommitter committer = committer()) {
            committer.commit(writer.checkpoint(1), false);
        }
    }

    private CommitOutcome recover(CollectionCommittable committable) throws IOException {
        try (LinkApplyCommitter committer = committer()) {
            return committer.commit(committable, true);
        }
    }

    /** Rewrites one key of the first split with every commit, so that its bitmap is superseded. */
    private void commits(int count) throws IOException {
        TestWriter writer = collection.writer();
        for (int i = 0; i < 2 * count; i++) {
            collection.upsert(200 + i, "{\"n\":1}");
        }
        for (int i = 0; i < count; i++) {
            collection.upsert(200 + i, "{\"n\":" + i + "}");
            commit(writer);
            clockMs += 1000;
        }
    }

    private GcResult sweep() throws IOException {
        return sweep(GcOptions.DEFAULT);
    }

    private GcResult sweep(GcOptions options) throws IOException {
        CollectionHandle handle = collection.open();
        try (GcLease lease = GcLease.acquire(handle.metastore(), "gc", HOUR);
                GarbageCollector collector = new GarbageCollector(handle, options)) {
            return collector.sweep(lease);
        }
    }

    private Map<String, Fate> plan() throws IOException {
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            return fates(collector.plan());
        }
    }

    private static Map<String, Fate> fates(GcPlan plan) {
        return plan.verdicts().stream().collect(Collectors.toMap(Verdict::path, Verdict::fate));
    }

    private Set<String> objects() {
        return collection.memory.list("").stream()
                .map(ObjectInfo::path)
                .collect(Collectors.toSet());
    }

    private long count(ObjectShape shape) {
        return objects().stream().filter(path -> ObjectShape.of(paths, path) == shape).count();
    }

    private void verified() throws IOException {
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void deletesNothingYoung() throws IOException {
        commits(COMMITS);
        Set<String> before = objects();

        GcResult result = sweep();

        before.removeIf(path -> path.endsWith(".stg")); // published
        assertThat(objects()).isEqualTo(before);
        assertThat(result.deleted()).isEqualTo(COMMITS);
        assertThat(fates(result.plan()).values())
                .containsOnly(Fate.RETAINED, Fate.MAINLINE, Fate.YOUNG, Fate.PUBLISHED);
        verified();
    }

    @Test
    void objectsGoOneRunAfterTheLastManifestThatNamesThem() throws IOException {
        commits(COMMITS);
        clockMs += 2 * DAY;
        long bitmaps = count(ObjectShape.DELETE_BITMAP);

        GcResult first = sweep();

        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(Retention.DEFAULT.keepManifests() + 1);
        assertThat(count(ObjectShape.DELETE_BITMAP)).isEqualTo(bitmaps);
        assertThat(count(ObjectShape.STAGED_KEYS)).as("of published units").isZero();
        assertThat(fates(first.plan()))
                .containsValue(Fate.SUPERSEDED)
                .containsValue(Fate.NEXT_RUN)
                .containsValue(Fate.UNREFERENCED);
        verified();

        sweep();

        assertThat(count(ObjectShape.DELETE_BITMAP)).isLessThan(bitmaps);
        assertThat(count(ObjectShape.PK_DELTA)).isEqualTo(Retention.DEFAULT.keepManifests() + 1);
        assertThat(sweep().deleted()).isZero();
        verified();
        commits(1);
        verified();
    }

    @Test
    void everyRetainedVersionStaysReadable() throws IOException {
        commits(COMMITS);
        clockMs += 2 * DAY;
        sweep();
        sweep();
        CollectionHandle handle = collection.open();
        for (ManifestChain.Link link : ManifestChain.of(handle).retained()) {
            assertThat(
                            handle.rows()
                                    .open(link.manifest().lanceVersion(), handle.schema())
                                    .countRows())
                    .isEqualTo(link.manifest().liveDocCount());
        }
    }

    @Test
    void aUnitIsKeptAsLongAsItMayBePublished() throws IOException {
        commits(1);
        collection.upsert(7, "{\"n\":7}");
        CollectionCommittable pending = collection.writer().checkpoint(2);
        clockMs += 7 * DAY - 2 * HOUR;
        sweep();
        assertThat(plan()).containsValue(Fate.STAGED);

        assertThat(recover(pending)).isEqualTo(new CommitOutcome.Committed(2));

        verified();
        sweep();
        assertThat(count(ObjectShape.STAGED_DESCRIPTOR)).isZero();
        verified();
    }

    /** No retained version names it: another version took its only row before any pass saw it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aUnitThatWasPublishedAndReplacedBetweenTwoPassesGoes(boolean tagged) throws IOException {
        TestWriter writer = collection.writer();
        for (int i = 0; i < 2 * COMMITS; i++) {
            collection.upsert(1, "{\"n\":" + i + "}");
            commit(writer);
            if (tagged && i == COMMITS) {
                new Tags(collection.open())
                        .create("t", new TagTarget.Current(), TagOptions.DEFAULT);
            }
        }
        assertThat(count(ObjectShape.STAGED_DESCRIPTOR)).isEqualTo(2 * COMMITS);
        clockMs += 3 * DAY;
        sweep();
        assertThat(count(ObjectShape.STAGED_DESCRIPTOR)).isZero();
        sweep();
        int kept = GcOptions.DEFAULT.retention().keepManifests() + 1 + (tagged ? 1 : 0);
        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(kept);
        assertThat(count(ObjectShape.SPLIT)).isEqualTo(kept);
        verified();
    }

    @Test
    void aUnitThatCannotBePublishedAnyMoreGoesWithItsDescriptor() throws IOException {
        commits(1);
        sweep();
        collection.upsert(7, "{\"n\":7}");
        CollectionCommittable pending = collection.writer().checkpoint(1);
        String split = paths.split(pending.units().get(0).split().ulid());
        clockMs += 7 * DAY - HOUR + 1;
        sweep();
        assertThat(objects()).contains(split);
        assertThatThrownBy(() -> recover(pending)).isInstanceOf(CommitRefusedException.class);
        clockMs += HOUR + GcOptions.DEFAULT_MAX_CLOCK_SKEW_MS;

        GcResult result = sweep();

        assertThat(fates(result.plan())).containsValue(Fate.EXPIRED);
        assertThat(objects()).doesNotContain(split);
        assertThat(count(ObjectShape.STAGED_DESCRIPTOR)).isZero();
        verified();
    }

    /** The unit's names are hours old when it is announced, in the middle of a pass. */
    @ParameterizedTest
    @ValueSource(strings = {"list ns/1/collections/1/", "clockMs", "/staged/", "head 1"})
    void aSlowEarlyUnitSurvivesThePassItIsUploadedIn(String moment) throws IOException {
        commits(2);
        TestWriter writer = collection.writer();
        collection.upsert(8, "{\"n\":8}");
        CollectionHandle handle = collection.open();
        // Begun hours ago: its names are as old as that.
        CollectionCommittable[] staged = new CollectionCommittable[1];
        collection.faults.onceRun(
                moment,
                () -> {
                    try {
                        staged[0] = writer.checkpoint(2, -3 * HOUR);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        try (GcLease lease = GcLease.acquire(handle.metastore(), "gc", HOUR);
                GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT)) {
            collector.sweep(lease);
        }
        assertThat(staged[0]).isNotNull();
        assertThat(clockMs - staged[0].units().get(0).createdAtMs()).isGreaterThan(2 * HOUR);

        sweep();
        assertThat(recover(staged[0])).isEqualTo(new CommitOutcome.Committed(3));
        verified();
    }

    @Test
    void aManifestThatLostItsSwapPublishesNothing() throws IOException {
        commits(1);
        collection.upsert(7, "{\"n\":7}");
        CollectionCommittable pending = collection.writer().checkpoint(1);
        collection.faults.once("swapPointer", Fault.BEFORE);
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(
                        collection.open(),
                        CommitterOptions.of("a").withMaxCommitDelayMs(1).withTakeOver(true))) {
            collection.faults.onceRun("swapPointer", () -> clockMs += 10);
            assertThatThrownBy(() -> committer.commit(pending, false))
                    .isInstanceOf(IOException.class);
        }
        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(2);
        clockMs += 3 * DAY;

        sweep();
        sweep();

        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(1);
        assertThat(count(ObjectShape.STAGED_DESCRIPTOR)).isEqualTo(1);
        assertThat(recover(pending)).isEqualTo(new CommitOutcome.Committed(2));
        verified();
    }

    @Test
    void aManifestPutLongAfterItsCommitBeganStopsNothing() throws IOException {
        commits(1);
        collection.upsert(7, "{\"n\":7}");
        CollectionCommittable pending = collection.writer().checkpoint(1);
        collection.faults.onceRun(
                "put " + paths.manifests(),
                () -> {
                    try {
                        clockMs += 3 * DAY;
                        sweep();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThatThrownBy(() -> recover(pending)).hasMessageContaining("not published");
        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(2);

        GcResult result = sweep();

        assertThat(result.plan().damage()).isNull();
        assertThat(count(ObjectShape.MANIFEST)).isEqualTo(1);
        assertThat(recover(pending)).isEqualTo(new CommitOutcome.Committed(2));
        verified();
    }

    @Test
    void keepsWhatItDoesNotKnow() throws IOException {
        commits(1);
        List<String> strangers =
                List.of(
                        paths.root() + "notes.txt",
                        paths.splits() + "backup.split",
                        paths.lance() + "_refs/x",
                        paths.lance() + "data/x.tmp");
        for (String path : strangers) {
            collection.memory.put(path, new byte[1]);
        }
        clockMs += 30 * DAY;
        sweep();
        sweep();
        assertThat(objects()).containsAll(strangers).contains(paths.lanceVersion(1));
        assertThat(plan())
                .containsEntry(strangers.get(0), Fate.UNKNOWN)
                .containsEntry(paths.lanceVersion(1), Fate.MAINLINE);
    }

    @Test
    void keepsAllOfACollectionItCannotRead() throws IOException {
        commits(COMMITS);
        collection.upsert(7, "{\"n\":7}");
        Ulid unit = collection.writer().checkpoint(1).units().get(0).unit();
        clockMs += 30 * DAY;
        CollectionHandle handle = collection.open();
        ManifestChain.Link oldest = ManifestChain.of(handle).retained().get(5);
        for (String damaged :
                List.of(
                        handle.live().path(),
                        oldest.path(),
                        paths.lanceVersion(oldest.manifest().lanceVersion()),
                        paths.lanceVersion(1),
                        paths.stagedDescriptor(unit))) {
            byte[] bytes = collection.memory.get(damaged);
            collection.memory.corrupt(damaged, new byte[bytes.length]);
            Set<String> before = objects();

            GcResult result = sweep();

            assertThat(result.plan().damage()).contains(damaged);
            assertThat(fates(result.plan()).values()).containsOnly(Fate.UNREADABLE);
            assertThat(result.deleted()).isZero();
            assertThat(objects()).isEqualTo(before);
            collection.memory.corrupt(damaged, bytes);
        }
        String version = paths.lanceVersion(oldest.manifest().lanceVersion());
        byte[] whole = collection.memory.get(version);
        for (int at = 0; at < whole.length; at += 11) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 1;
            collection.memory.corrupt(version, flipped);
            assertThat(plan().values()).as("byte %d", at).containsOnly(Fate.UNREADABLE);
        }
        collection.memory.corrupt(version, whole);
        collection.memory.delete(paths.lanceVersion(handle.live().manifest().lanceVersion()));
        assertThat(sweep().plan().damage())
                .contains(paths.lanceVersion(handle.live().manifest().lanceVersion()));
        assertThat(sweep().deleted()).isZero();
    }

    @Test
    void aPassDeletesNoMoreThanItMay() throws IOException {
        commits(COMMITS);
        clockMs += 2 * DAY;
        int before = objects().size();
        GcOptions three = GcOptions.DEFAULT.withMaxDeletes(3);

        GcResult result = sweep(three);

        assertThat(result.deleted()).isEqualTo(3);
        assertThat(objects()).hasSize(before - 3);
        assertThat(result.left()).isEqualTo(result.plan().deletes().size() - 3);
        int passes = 1;
        while (sweep(three).deleted() > 0) {
            verified();
            passes++;
        }
        assertThat(passes).isGreaterThan(5);
        assertThat(sweep().deleted()).isZero();
    }

    @Test
    void stopsBeforeABatchOnceTheLeaseIsLost() throws IOException {
        commits(COMMITS);
        clockMs += 2 * DAY;
        Set<String> before = objects();
        CollectionHandle handle = collection.open();
        try (GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT);
                GcLease lost = GcLease.acquire(handle.metastore(), "first", HOUR)) {
            assertThatThrownBy(() -> GcLease.acquire(handle.metastore(), "second", HOUR))
                    .isInstanceOf(MetastoreException.class)
                    .hasMessageContaining("first");
            clockMs += 2 * HOUR;
            try (GcLease taken = GcLease.acquire(handle.metastore(), "second", HOUR)) {
                assertThatThrownBy(() -> collector.sweep(lost))
                        .isInstanceOfSatisfying(
                                MetastoreException.class,
                                e ->
                                        assertThat(e.code())
                                                .isEqualTo(MetastoreException.Code.LEASE_LOST));
                assertThat(objects()).isEqualTo(before);
                assertThat(collector.sweep(taken).deleted()).isPositive();
            }
        }
    }

    @Test
    void aDryRunSaysWhyAndDeletesNothing() throws IOException {
        commits(COMMITS);
        clockMs += 2 * DAY;
        Set<String> before = objects();
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            GcPlan plan = collector.plan();
            assertThat(plan.verdicts()).hasSameSizeAs(before);
            assertThat(plan.verdicts()).allSatisfy(v -> assertThat(v.fate().reason()).isNotBlank());
            assertThat(plan.deletes()).isNotEmpty();
            assertThat(plan.deletes().get(0).fate()).isEqualTo(Fate.PUBLISHED);
        }
        assertThat(objects()).isEqualTo(before);
    }

    @Test
    void refusesAGraceThatCommitsMayOutlast() {
        assertThatThrownBy(() -> new GcOptions(Retention.DEFAULT, 30 * 60_000, DAY, 1, 0))
                .hasMessageContaining("must exceed the longest commit");
        assertThatThrownBy(() -> new GcOptions(Retention.DEFAULT, HOUR, HOUR, 1, 0))
                .hasMessageContaining("must exceed the grace");
        assertThatThrownBy(() -> GcOptions.DEFAULT.withMaxDeletes(0))
                .hasMessageContaining("must be allowed a delete");
    }
}
