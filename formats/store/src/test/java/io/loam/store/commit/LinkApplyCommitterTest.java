package io.loam.store.commit;

import io.loam.codec.CorruptException;
import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.UserOperation;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.commit.CommitOutcome.AlreadyCommitted;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.commit.CommitOutcome.Dropped;
import io.loam.store.history.DeadLetters;
import io.loam.store.history.History;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.retry.Pause;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.MaintenanceCommit;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.VerifyReport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinkApplyCommitterTest {
    @TempDir Path dir;
    private TestCollection collection;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 2);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private LinkApplyCommitter committer(String owner) throws IOException {
        return committer(CommitterOptions.of(owner));
    }

    private LinkApplyCommitter committer(CommitterOptions options) throws IOException {
        return new LinkApplyCommitter(collection.open(), options, ms -> {});
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    private void verified() throws IOException {
        VerifyReport report = collection.verify();
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
    }

    @Test
    void firstCommitHoldsRowsSplitKeysAndItsExplanation() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        collection.upsert(2, "{\"n\":2}");
        CollectionCommittable committable = collection.writer().checkpoint(1);

        assertThat(committer("a").commit(committable, false)).isEqualTo(new Committed(1));

        CollectionManifest manifest = live();
        assertThat(manifest.liveDocCount()).isEqualTo(2);
        assertThat(manifest.splits()).hasSize(1);
        assertThat(manifest.applied().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(2);
        assertThat(manifest.rowIdHighWater()).isEqualTo(12);
        assertThat(manifest.schemaVersion()).isEqualTo(1);
        assertThat(manifest.kind()).isEqualTo(CommitKind.LINK_APPLY);
        assertThat(manifest.properties())
                .containsEntry(ManifestProperties.COMMIT_ID, committable.commitId())
                .containsEntry(ManifestProperties.INCARNATION, committable.incarnation().toString())
                .containsEntry(ManifestProperties.CHECKPOINT, "1")
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + committable.incarnation(), "1")
                .containsEntry(ManifestProperties.MODE, "stream");
        UserOperation operation = manifest.operation();
        assertThat(operation.uuid().toString()).isEqualTo(committable.commitId());
        assertThat(operation.actions().get(0).description())
                .startsWith("apply 2 records, offsets p");
        verified();
    }

    @Test
    void emptyFirstCommitMakesAManifestWithoutRows() throws IOException {
        assertThat(committer("a").commit(collection.writer().checkpoint(0), false))
                .isEqualTo(new Committed(1));
        assertThat(live().lanceVersion()).isZero();
        assertThat(live().pkDelta()).isEmpty();
        verified();
    }

    @Test
    void deadLettersAloneMoveOffsetsOnly() throws IOException {
        collection.log.add(0, new byte[] {9}, new byte[] {1, 2});
        collection.log.add(1, new byte[] {9}, null);
        assertThat(committer("a").commit(collection.writer().checkpoint(2), false))
                .isEqualTo(new Committed(1));
        CollectionManifest manifest = live();
        assertThat(manifest.lanceVersion()).isZero();
        assertThat(manifest.deadLettersTotal()).isEqualTo(2);
        assertThat(manifest.applied()).isEqualTo(Map.of(0, 1L, 1, 1L));
        assertThat(DeadLetters.read(collection.open()))
                .extracting(entry -> entry.letter().partition())
                .containsExactly(0, 1);
        verified();
    }

    @Test
    void updatesAndDeletesMaskOldRowsAndDropEmptySplits() throws IOException {
        TestWriter writer = collection.writer();
        LinkApplyCommitter committer = committer("a");
        collection.upsert(1, "{\"n\":1}");
        collection.upsert(2, "{\"n\":2}");
        committer.commit(writer.checkpoint(1), false);
        collection.upsert(1, "{\"n\":10}");
        committer.commit(writer.checkpoint(1), false);
        assertThat(live().splits())
                .extracting(split -> split.deletedCount())
                .containsExactly(1L, 0L);
        verified();

        collection.delete(2);
        committer.commit(writer.checkpoint(1), false);
        assertThat(live().splits()).hasSize(1);
        assertThat(live().liveDocCount()).isEqualTo(1);
        verified();

        collection.delete(1);
        committer.commit(writer.checkpoint(1), false);
        assertThat(live().splits()).isEmpty();
        assertThat(live().liveDocCount()).isZero();
        verified();
        assertThat(liveDeltas()).containsExactly(-1L, -1L, 0L, 2L);
    }

    /** Live document deltas of the history, newest first. */
    private List<Long> liveDeltas() throws IOException {
        return History.of(collection.open()).rows().stream()
                .map(row -> row.liveDocsDelta())
                .toList();
    }

    @Test
    void rowsSupersededWithinACheckpointAreDeletedAtBirth() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        collection.upsert(2, "{\"n\":2}");
        collection.upsert(1, "{\"n\":10}");
        collection.upsert(3, "{\"n\":3}");
        collection.delete(3);
        collection.upsert(2, "{\"n\":20}");
        committer("a").commit(collection.writer().checkpoint(3), false);
        assertThat(live().liveDocCount()).isEqualTo(2);
        verified();
    }

    @Test
    void aCommitWhoseRowsAllDiedAtBirthRaisesTheHighWaterAlone() throws IOException {
        TestWriter writer = collection.writer();
        LinkApplyCommitter committer = committer("a");
        collection.upsert(1, "{\"n\":1}");
        committer.commit(writer.checkpoint(1), false);
        CollectionManifest before = live();
        collection.upsert(5, "{\"n\":5}");
        collection.delete(5);
        committer.commit(writer.checkpoint(2), false);
        assertThat(live().lanceVersion()).isEqualTo(before.lanceVersion());
        assertThat(live().rowIdHighWater()).isGreaterThan(before.rowIdHighWater());
        assertThat(live().properties()).containsKey(ManifestProperties.ROWLESS_UNITS);
        verified();
    }

    @Test
    void committingTwiceFindsTheFirst() throws IOException {
        collection.upsert(1, "{}");
        TestWriter writer = collection.writer();
        CollectionCommittable first = writer.checkpoint(1);
        committer("a").commit(first, false);
        collection.upsert(2, "{}");
        committer("a").commit(writer.checkpoint(1), false);
        assertThat(committer("b").commit(first, true)).isEqualTo(new AlreadyCommitted(1));
    }

    @Test
    void alreadyCommittedIsFoundBeforeObjectsAreLookedFor() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable first = collection.writer().checkpoint(1);
        committer("a").commit(first, false);
        collection.memory.delete(collection.open().paths().stagedKeys(first.units().get(0).unit()));
        assertThat(committer("b").commit(first, true)).isEqualTo(new AlreadyCommitted(1));
    }

    @Test
    void recoveredAndCoveredByAnotherIncarnationIsDropped() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable old = collection.writer().checkpoint(1);
        committer("b").commit(collection.writer().checkpoint(1), false);
        assertThatThrownBy(() -> committer("c").commit(old, false))
                .as("the restart, which drops it, repairs the index")
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("lost to another writer: its row ids stand on no commit")
                .hasMessageContaining("a restart goes on from there");
        assertThat(committer("c").commit(old, true)).isInstanceOf(Dropped.class);
        verified();
    }

    @Test
    void recoveredButAheadIsRefusedWithPartitionsAndOffsets() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable other = collection.writer().checkpoint(1);
        collection.upsert(2, "{}");
        CollectionCommittable ahead = collection.writer().checkpoint(1);
        committer("b").commit(other, false);
        assertThatThrownBy(() -> committer("c").commit(ahead, true))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining(ahead.commitId())
                .hasMessageContaining(other.commitId())
                .hasMessageContaining("offsets p")
                .hasMessageContaining("Start the job without state")
                .satisfies(
                        e ->
                                assertThat(((CommitRefusedException) e).progress())
                                        .isEqualTo(ahead.progress()));
    }

    @Test
    void offsetsMustContinueTheParents() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable c = collection.writer().checkpoint(1);
        CollectionCommittable gap =
                new CollectionCommittable(
                        c.commitId(),
                        c.base(),
                        c.incarnation(),
                        c.checkpoint(),
                        c.mode(),
                        c.writer(),
                        c.job(),
                        c.records(),
                        c.units(),
                        Map.of(0, new OffsetRange(5, 6, 0)));
        assertThatThrownBy(() -> committer("a").commit(gap, false))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("partition 0 covers 5..6, but version 0 has applied 0");
    }

    @Test
    void modeIsFixedByTheFirstCommit() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable first = collection.writer().checkpoint(1);
        committer("a").commit(first, false);
        CollectionCommittable direct =
                new CollectionCommittable(
                        "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
                        first.commitId(),
                        first.incarnation(),
                        2,
                        CommitMode.DIRECT,
                        "w",
                        "j",
                        0,
                        List.of(),
                        Map.of());
        assertThatThrownBy(() -> committer("a").commit(direct, false))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("fixed STREAM mode");
    }

    @Test
    void lostAnswerOfTheSwapIsRecognised() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        collection.faults.once("swapPointer", Fault.AFTER);
        assertThat(committer("a").commit(committable, false)).isEqualTo(new Committed(1));
        verified();
    }

    @Test
    void swapThatDidNotArriveIsRepeated() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        collection.faults.once("swapPointer", Fault.BEFORE);
        assertThat(committer("a").commit(committable, false)).isEqualTo(new Committed(1));
        verified();
    }

    @Test
    void unknownOutcomeDeletesNothingAndIsTriedAgainAfterARestart() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        for (int i = 0; i < 8; i++) {
            collection.faults.once("swapPointer", Fault.BEFORE);
        }
        assertThatThrownBy(() -> committer("a").commit(committable, false))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("did not say whether version 1 was published");
        assertThat(collection.faults.operations()).noneMatch(op -> op.startsWith("delete"));
        assertThat(committer("a").commit(committable, true)).isEqualTo(new Committed(1));
        verified();
    }

    @Test
    void zombieIsFenced() throws IOException {
        TestWriter writer = collection.writer();
        LinkApplyCommitter zombie = committer("a");
        collection.upsert(1, "{}");
        zombie.commit(writer.checkpoint(1), false);
        collection.upsert(2, "{}");
        CollectionCommittable next = writer.checkpoint(1);
        CollectionHandle heir = collection.open();
        heir.metastore().takeOverLease(heir.paths().leaseKey(), "b", 60_000);
        assertThatThrownBy(() -> zombie.commit(next, false))
                .isInstanceOfSatisfying(
                        FencedException.class, e -> assertThat(e.byAnotherOwner()).isTrue());
        assertThat(live().version()).isEqualTo(1);
        assertThat(committer("b").commit(next, true)).isEqualTo(new Committed(2));
        verified();
    }

    @Test
    void epochOfTheSameOwnerRisesOncePerAttempt() throws IOException {
        TestWriter writer = collection.writer();
        LinkApplyCommitter first = committer("a");
        collection.upsert(1, "{}");
        first.commit(writer.checkpoint(1), false);
        collection.upsert(2, "{}");
        first.commit(writer.checkpoint(1), false);
        assertThat(epoch()).isEqualTo(1);
        collection.upsert(3, "{}");
        CollectionCommittable third = writer.checkpoint(1);
        LinkApplyCommitter second = committer("a");
        assertThat(second.commit(third, true)).isEqualTo(new Committed(3));
        assertThat(epoch()).isEqualTo(2);
        collection.upsert(4, "{}");
        assertThatThrownBy(() -> first.commit(writer.checkpoint(1), false))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("another committer took the lease");
    }

    /** It was believed dead, and comes back between looking at the chain and taking the lease. */
    @Test
    void anEarlierAttemptThatWakesUpDoesNotStopTheJobForGood() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        committer("a").commit(writer.checkpoint(1), false);
        LinkApplyCommitter dead = committer("a");
        LinkApplyCommitter heir = committer("a");
        collection.upsert(2, "{}");
        CollectionCommittable second = writer.checkpoint(1);
        List<CommitOutcome> ofHeir = new ArrayList<>();
        collection.faults.onceRun(
                "takeOverLease", () -> ofHeir.add(quietly(() -> heir.commit(second, true))));
        assertThat(dead.commit(second, false)).isEqualTo(new Committed(2));
        assertThat(ofHeir).containsExactly(new Committed(2));

        collection.upsert(3, "{}");
        CollectionCommittable third = writer.checkpoint(1);
        assertThatThrownBy(() -> heir.commit(third, false))
                .isInstanceOfSatisfying(
                        FencedException.class, e -> assertThat(e.byAnotherOwner()).isFalse());
        assertThat(committer("a").commit(third, true)).isEqualTo(new Committed(3));
        verified();
    }

    /** A commit that must not fail. */
    private interface Commit {
        CommitOutcome run() throws IOException;
    }

    private static CommitOutcome quietly(Commit commit) {
        try {
            return commit.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long epoch() throws IOException {
        CollectionHandle handle = collection.open();
        return handle.metastore().lease(handle.paths().leaseKey()).orElseThrow().epoch();
    }

    @Test
    void anotherOwnersLeaseThatIsExtendedIsLeftAlone() throws IOException {
        CollectionHandle handle = collection.open();
        String key = handle.paths().leaseKey();
        long epoch = handle.metastore().acquireLease(key, "other/1", 60_000).epoch();
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        Pause renewing =
                ms -> {
                    handle.metastore().renewLease(key, "other/1", epoch, 120_000);
                };
        LinkApplyCommitter committer =
                new LinkApplyCommitter(handle, CommitterOptions.of("a"), renewing);
        assertThatThrownBy(() -> committer.commit(committable, false))
                .isInstanceOf(LeaseHeldException.class)
                .hasMessageContaining("other/1")
                .hasMessageContaining("--take-over");
        assertThat(
                        committer(CommitterOptions.of("a").withTakeOver(true))
                                .commit(committable, false))
                .isEqualTo(new Committed(1));
    }

    @Test
    void closingGivesTheLeaseUp() throws IOException {
        collection.upsert(1, "{}");
        LinkApplyCommitter first = committer("a");
        first.commit(collection.writer().checkpoint(1), false);
        first.close();
        collection.upsert(2, "{}");
        assertThat(committer("b").commit(collection.writer().checkpoint(1), false))
                .isEqualTo(new Committed(2));
    }

    /** Publishes what maintenance would: the same content, properties carried forward. */
    private void maintain() throws IOException {
        publish(CommitKind.MAINTENANCE, live().properties());
    }

    private void publish(CommitKind kind, Map<String, String> properties) throws IOException {
        CollectionHandle handle = collection.open();
        LiveManifest live = handle.live();
        MaintenanceCommit.publish(
                handle,
                MaintenanceCommit.child(
                        live,
                        kind,
                        live.manifest().splits(),
                        properties,
                        handle.metastore().clockMs()));
    }

    @Test
    void maintenanceCarriesTheCommitForward() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        CollectionCommittable first = writer.checkpoint(1);
        committer("a").commit(first, false);
        maintain();
        assertThat(committer("a").commit(first, true)).isEqualTo(new AlreadyCommitted(1));
        collection.upsert(1, "{\"n\":2}");
        assertThat(committer("a").commit(writer.checkpoint(1), false)).isEqualTo(new Committed(3));
        verified();
    }

    @Test
    void losingToMaintenanceRebasesWithTheSameUnits() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{\"n\":1}");
        collection.upsert(2, "{\"n\":2}");
        committer("a").commit(writer.checkpoint(1), false);
        collection.upsert(1, "{\"n\":2}");
        CollectionCommittable second = writer.checkpoint(1);
        LinkApplyCommitter committer = committer("a");
        Map<String, String> carried = live().properties();
        collection.faults.onceRun(
                "swapPointer", () -> publishQuietly(CommitKind.MAINTENANCE, carried));
        assertThat(committer.commit(second, false)).isEqualTo(new Committed(3));
        assertThat(live().operation().attempt()).isEqualTo(1);
        assertThat(live().parentVersion()).isEqualTo(2);
        verified();
    }

    private void publishQuietly(CommitKind kind, Map<String, String> properties) {
        try {
            publish(kind, properties);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void losingToAnotherWriterFails() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable mine = collection.writer().checkpoint(1);
        String theirs = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";
        collection.faults.onceRun(
                "swapPointer",
                () ->
                        publishQuietly(
                                CommitKind.LINK_APPLY,
                                Map.of(
                                        ManifestProperties.COMMIT_ID,
                                        theirs,
                                        ManifestProperties.INCARNATION,
                                        mine.incarnation().toString(),
                                        ManifestProperties.CHECKPOINT,
                                        "1")));
        assertThatThrownBy(() -> committer("a").commit(mine, false))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("another writer published commit " + theirs);
        assertThat(live().version()).isEqualTo(1);
    }

    @Test
    void droppedCollectionIsNotFound() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        LinkApplyCommitter committer = committer("a");
        CollectionHandle handle = collection.open();
        collection.faults.onceRun(
                "swapPointer",
                () -> {
                    try {
                        handle.metastore().dropCollection(handle.info().id());
                    } catch (MetastoreException e) {
                        throw new IllegalStateException(e);
                    }
                });
        assertThatThrownBy(() -> committer.commit(committable, false))
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e ->
                                assertThat(e.code())
                                        .isEqualTo(MetastoreException.Code.COLLECTION_NOT_FOUND));
        assertThatThrownBy(() -> committer.commit(committable, true))
                .isInstanceOf(MetastoreException.class);
    }

    @Test
    void slowCommitIsNotPublished() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        collection.faults.onceRun("put ", () -> sleep(20));
        assertThatThrownBy(
                        () ->
                                committer(CommitterOptions.of("a").withMaxCommitDelayMs(10))
                                        .commit(committable, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not published");
        assertThat(live().version()).isZero();
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void unitsTooOldAreRefused() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        sleep(30);
        CommitterOptions hasty =
                CommitterOptions.of("a").withMaxCommitDelayMs(1).withStaging(12, 2);
        assertThatThrownBy(() -> committer(hasty).commit(committable, false))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("was staged");
    }

    @Test
    void objectsOfOldUnitsAreLookedUp() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        Ulid split = committable.units().get(0).split().ulid();
        collection.memory.delete(collection.open().paths().split(split));
        sleep(10);
        CommitterOptions careful =
                CommitterOptions.of("a").withMaxCommitDelayMs(1).withStaging(600_000, 2);
        assertThatThrownBy(() -> committer(careful).commit(committable, false))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining(split.toString())
                .hasMessageContaining("is gone");
    }

    /** As in another copy of the warehouse, made before they were staged. */
    @Test
    void objectsOfRestoredCommittablesAreLookedUp() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        String data = collection.open().paths().lanceData(committable.units().get(0).dataFile());
        collection.memory.delete(data);
        assertThatThrownBy(() -> committer("a").commit(committable, true))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("its staged object " + data + " is gone");
    }

    @Test
    void anAbsenceThatIsNotTrueRefusesNothing() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable committable = collection.writer().checkpoint(1);
        String data = collection.open().paths().lanceData(committable.units().get(0).dataFile());
        collection.faults.once("stat " + data, Fault.STALE);
        assertThat(committer("a").commit(committable, true)).isEqualTo(new Committed(1));
        assertThat(collection.faults.operations()).contains("list " + data);
        verified();
    }

    @Test
    void rowsBelowTheHighWaterAreNotPublished() throws IOException {
        collection.upsert(1, "{}");
        CollectionCommittable stale = collection.writer().checkpoint(1);
        TestWriter writer = collection.writer();
        CollectionCommittable first = writer.checkpoint(1);
        committer("a").commit(first, false);
        CollectionCommittable reused =
                new CollectionCommittable(
                        stale.commitId(),
                        first.commitId(),
                        stale.incarnation(),
                        9,
                        stale.mode(),
                        "w",
                        "j",
                        0,
                        stale.units(),
                        Map.of());
        assertThatThrownBy(() -> committer("a").commit(reused, false))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("new rows must not be below 11");
    }

    @Test
    void aCommitIsTwoRoundsOfPutsHoweverManySplitsItTouches() throws IOException {
        TestWriter writer = collection.writer();
        LinkApplyCommitter committer = committer("a");
        for (int split = 0; split < 20; split++) {
            for (int key = 0; key < 4; key++) {
                collection.upsert(split * 10 + key, "{\"n\":" + key + "}");
            }
            committer.commit(writer.checkpoint(1), false);
        }
        for (int split = 0; split < 20; split++) {
            collection.upsert(split * 10, "{\"n\":9}");
        }
        CollectionCommittable committable = writer.checkpoint(3);
        collection.faults.forgetOperations();
        committer.commit(committable, false);

        List<String> operations = collection.faults.operations();
        assertThat(operations.stream().filter(op -> op.startsWith("put ")).count())
                .as("objects")
                .isGreaterThan(40);
        assertThat(collection.faults.putRounds()).hasSize(2);
        assertThat(collection.faults.putRounds().get(0)).startsWith("putAll ");
        assertThat(collection.faults.putRounds().get(1)).contains("/manifests/");
        assertThat(operations.stream().filter(op -> op.startsWith("swapPointer"))).hasSize(1);
        verified();
    }

    static Stream<JsonObject> linkApplySteps() throws IOException {
        try (InputStream in =
                LinkApplyCommitterTest.class.getResourceAsStream("/golden/crash.json")) {
            JsonObject file = Json.parseObject(in.readAllBytes());
            return ((JsonValue.JsonArray) file.members().get("link_apply"))
                    .values().stream()
                            .map(JsonObject.class::cast)
                            .filter(step -> !text(step, "step").equals("after PK index write"));
        }
    }

    private static String text(JsonObject object, String member) {
        return ((JsonValue.JsonString) object.members().get(member)).value();
    }

    @ParameterizedTest
    @MethodSource("linkApplySteps")
    void crashAfterEachStepIsMadeGoodByAnotherOwner(JsonObject step) throws IOException {
        Map<String, String> lastOperation =
                Map.of(
                        "after Lance commit", "put ns/1/collections/1/lance/_versions/d",
                        "after split and bitmaps", "put ns/1/collections/1/pkdelta/",
                        "after manifest PUT", "put ns/1/collections/1/manifests/",
                        "after pointer CAS", "swapPointer");
        String name = text(step, "step");
        assertThat(lastOperation).containsKey(name);
        collection.upsert(1, "{\"n\":1}");
        collection.upsert(2, "{\"n\":2}");
        CollectionCommittable committable = collection.writer().checkpoint(2);
        collection.faults.once(lastOperation.get(name), Fault.AFTER);
        if (name.equals("after pointer CAS")) {
            for (int i = 0; i < 10; i++) {
                collection.faults.once("pointer collection", Fault.BEFORE);
                collection.faults.once("swapPointer", Fault.BEFORE);
            }
        }
        assertThatThrownBy(() -> committer("a").commit(committable, false))
                .isInstanceOf(IOException.class);
        collection.faults.heal();
        long expected =
                ((JsonValue.JsonInteger)
                                step.members().get("manifest_version_after_first_commit_crash"))
                        .value();
        assertThat(live().version()).isEqualTo(expected);

        LinkApplyCommitter other = committer(CommitterOptions.of("b").withTakeOver(true));
        CollectionCommittable again = collection.writer().checkpoint(1);
        CommitOutcome outcome =
                expected == 0 ? other.commit(again, false) : other.commit(committable, true);
        assertThat(outcome).isEqualTo(expected == 0 ? new Committed(1) : new AlreadyCommitted(1));
        collection.upsert(1, "{\"n\":3}");
        assertThat(other.commit(collection.writer().checkpoint(1), false))
                .isEqualTo(new Committed(2));
        verified();
    }

    @Test
    void deadLettersOfAnOlderUnitAreRefused() throws IOException {
        TestWriter writer = collection.writer();
        collection.log.add(0, new byte[] {1}, new byte[] {9});
        CollectionCommittable older = writer.checkpoint(1);
        committer("a").commit(older, false);
        collection.log.add(0, new byte[] {1}, new byte[] {9});
        CollectionCommittable next = writer.checkpoint(1);
        CollectionPaths paths = collection.open().paths();
        String path = paths.stagedDeadLetters(next.units().get(0).unit());
        byte[] good = collection.memory.get(path);
        collection.memory.corrupt(
                path, collection.memory.get(paths.stagedDeadLetters(older.units().get(0).unit())));
        assertThatThrownBy(() -> committer("a").commit(next, false))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining(path + ": holds a letter of partition 0 offset 0");
        collection.memory.corrupt(path, good);
        committer("a").commit(next, false);
        assertThat(collection.verify().violations()).isEmpty();
    }
}
