package io.loam.store.commit;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.codec.manifest.UserOperation;
import io.loam.codec.record.Operation;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.history.Operations;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.retry.Pause;
import io.loam.store.testing.FailingMetastore;
import io.loam.store.testing.FakeRows;
import io.loam.store.testing.FakeSplits;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.InMemoryMetastore;
import io.loam.store.testing.InMemoryObjectStore;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Commits that are large, late or long ago. */
class CommitLimitsTest {
    private static final int MANY = 2600;

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

    private LinkApplyCommitter committer(CommitterOptions options) throws IOException {
        return new LinkApplyCommitter(collection.open(), options, ms -> {});
    }

    @Test
    void anOperationTooLargeForTheManifestIsAnObjectOfItsOwn() throws IOException {
        for (int i = 0; i < MANY; i++) {
            collection.upsert(i, "{\"n\":" + i + "}");
        }
        CollectionCommittable committable = collection.writer().checkpoint(MANY);
        assertThat(committer(CommitterOptions.of("a")).commit(committable, false))
                .isEqualTo(new Committed(1));

        CollectionHandle handle = collection.open();
        CollectionManifest manifest = handle.live().manifest();
        assertThat(manifest.operation() == null).isTrue();
        assertThat(manifest.operationPath()).contains("/ops/");
        assertThat(collection.memory.stat(manifest.operationPath()).orElseThrow().size())
                .isGreaterThan(256 * 1024);
        UserOperation operation =
                Operations.recorded(handle.objects(), manifest, handle.live().path()).orElseThrow();
        assertThat(operation.uuid()).hasToString(committable.commitId());
        assertThat(collection.verify().violations()).isEmpty();
        assertThat(collection.verify().counts()).containsEntry("operations", 1L);
        assertThat(ManifestChain.of(handle).findCommit(committable.commitId())).isPresent();
    }

    /** Under a clock of its own, which jumps while the swap is on its way. */
    @Test
    void aSwapThatTheMetastoreFindsTooLateIsNotPublished() throws IOException {
        AtomicLong clockMs = new AtomicLong(1_800_000_000_000L);
        InMemoryMetastore metastore = new InMemoryMetastore(clockMs::get);
        CollectionInfo info =
                metastore.createCollection("default", "late", collection.open().schema(), 1, null);
        FaultPlan faults = FaultPlan.scripted();
        Warehouse warehouse =
                Warehouse.of(
                        new FailingMetastore(metastore, faults),
                        new InMemoryObjectStore(),
                        FakeRows::new,
                        FakeSplits::new);
        CollectionHandle handle = warehouse.open(info.id());
        TestLog log = new TestLog(1);
        log.add(new Operation.Upsert(TestCollection.document(1, "{}")));
        CollectionCommittable committable = TestWriter.start(handle, log, dir).checkpoint(1);
        CommitterOptions options = CommitterOptions.of("a");
        LinkApplyCommitter committer = new LinkApplyCommitter(handle, options, ms -> {});

        faults.onceRun("swapPointer", () -> clockMs.addAndGet(options.maxCommitDelayMs() + 1));
        assertThatThrownBy(() -> committer.commit(committable, false))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("took longer than 600000 ms and was not published")
                .hasCauseInstanceOf(MetastoreException.class)
                .satisfies(
                        e ->
                                assertThat(((MetastoreException) e.getCause()).code())
                                        .isEqualTo(Code.STALE_OBJECT));
        assertThat(handle.live().version()).isZero();
        assertThat(committer.commit(committable, true)).isEqualTo(new Committed(1));
        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
    }

    @Test
    void aSwapWithoutAnswerIsNotRepeatedOnceItIsTooOld() throws IOException {
        AtomicLong clockMs = new AtomicLong(1_800_000_000_000L);
        try (TestCollection silent = TestCollection.inMemory(dir, 1, clockMs::get)) {
            silent.upsert(1, "{}");
            CollectionCommittable committable = silent.writer().checkpoint(1);
            CommitterOptions options = CommitterOptions.of("a");
            Pause halfTheTime = ms -> clockMs.addAndGet(options.maxCommitDelayMs() / 2 - 1);
            LinkApplyCommitter committer =
                    new LinkApplyCommitter(silent.open(), options, halfTheTime);
            silent.faults.rule(op -> op.startsWith("swapPointer"), use -> true, Fault.BEFORE);
            assertThatThrownBy(() -> committer.commit(committable, false))
                    .hasMessageContaining("did not say whether version 1 was published");
            assertThat(
                            silent.faults.operations().stream()
                                    .filter(op -> op.startsWith("swapPointer")))
                    .as("at the start, and after one and two pauses; not after three")
                    .hasSize(3);
            silent.faults.heal();
            assertThat(committer.commit(committable, true)).isEqualTo(new Committed(1));
        }
    }

    @Test
    void incarnationsAreForgottenAfterTheStagingRetention() {
        Ulid first = new Ulid(1, 1);
        Ulid second = new Ulid(2, 2);
        Ulid third = new Ulid(3, 3);
        Map<String, String> one = ApplyProperties.of(Map.of(), by(first, 7), List.of(), 1_000, 500);
        Map<String, String> two = ApplyProperties.of(one, by(second, 1), List.of(), 1_400, 500);
        assertThat(two)
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + first, "7")
                .containsEntry(ManifestProperties.LAST_PREFIX + first, "1000")
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + second, "1");
        Map<String, String> three = ApplyProperties.of(two, by(third, 2), List.of(), 1_600, 500);
        assertThat(three)
                .doesNotContainKey(ManifestProperties.HIGHEST_PREFIX + first)
                .doesNotContainKey(ManifestProperties.LAST_PREFIX + first)
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + second, "1")
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + third, "2");
        assertThat(ApplyProperties.of(three, by(second, 1), List.of(), 1_700, 500))
                .as("the highest never falls")
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + second, "1")
                .containsEntry(ManifestProperties.LAST_PREFIX + second, "1700");
    }

    @Test
    void ofIncarnationsTheLastFewAreRemembered() {
        Map<String, String> properties = Map.of();
        for (int incarnation = 1; incarnation <= 200; incarnation++) {
            properties =
                    ApplyProperties.of(
                            properties,
                            by(new Ulid(incarnation, 1), incarnation),
                            List.of(),
                            incarnation,
                            1_000_000);
            properties =
                    ApplyProperties.of(
                            properties, by(new Ulid(1, 1), 1), List.of(), incarnation, 1_000_000);
        }
        assertThat(properties.keySet())
                .filteredOn(key -> key.startsWith(ManifestProperties.LAST_PREFIX))
                .hasSize(ApplyProperties.MOST_INCARNATIONS);
        assertThat(properties)
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + new Ulid(200, 1), "200")
                .containsEntry(ManifestProperties.HIGHEST_PREFIX + new Ulid(1, 1), "1")
                .doesNotContainKey(ManifestProperties.HIGHEST_PREFIX + new Ulid(2, 1));
    }

    private static CollectionCommittable by(Ulid incarnation, long checkpoint) {
        return new CollectionCommittable(
                "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
                "",
                incarnation,
                checkpoint,
                CommitMode.STREAM,
                "w",
                "j",
                0,
                List.of(),
                Map.of());
    }
}
