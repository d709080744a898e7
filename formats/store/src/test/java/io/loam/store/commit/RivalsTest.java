package io.loam.store.commit;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.commit.CommitOutcome.AlreadyCommitted;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.gc.Fate;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcOptions;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Several writers of one collection, on the real metastore in SQLite. */
class RivalsTest {
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

    private LinkApplyCommitter committer(String owner) throws IOException {
        return new LinkApplyCommitter(collection.open(), CommitterOptions.of(owner), ms -> {});
    }

    private LinkApplyCommitter takingOver(String owner) throws IOException {
        return new LinkApplyCommitter(
                collection.open(),
                CommitterOptions.of(owner).withTakeOver(true).withLeaseTtlMs(1),
                ms -> {});
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    private void verified() throws IOException {
        assertThat(collection.verify().violations()).isEmpty();
    }

    /** Objects that some retained version needs. */
    private Set<String> visible() throws IOException {
        try (GarbageCollector collector =
                new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            return collector.plan().verdicts().stream()
                    .filter(verdict -> verdict.fate() == Fate.RETAINED)
                    .map(Verdict::path)
                    .collect(Collectors.toSet());
        }
    }

    /** A first version, and a checkpoint that changes and deletes rows of it. */
    private CollectionCommittable staged() throws IOException {
        TestWriter writer = collection.writer();
        for (int key = 0; key < 4; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
        }
        try (LinkApplyCommitter first = committer("first")) {
            first.commit(writer.checkpoint(1), false);
        }
        collection.upsert(1, "{\"n\":10}");
        collection.delete(2);
        return writer.checkpoint(1);
    }

    /** Paused before each of its calls in turn, while another writer takes over and publishes. */
    @Test
    void aWriterThatWakesAfterAnotherTookOverShowsNothing() throws IOException {
        int calls = 1;
        boolean more = true;
        int fenced = 0;
        while (more) {
            collection.close();
            Path own = Files.createDirectory(dir.resolve("call-" + calls));
            collection = new TestCollection(own, 2);
            CollectionCommittable pending = staged();
            LinkApplyCommitter zombie = committer("zombie");
            int pausedAt = calls;
            CollectionCommittable[] rivals = new CollectionCommittable[1];
            collection.faults.rule(call -> true, n -> n == pausedAt, Fault.SLOW);
            collection.faults.slowness(
                    unchecked(
                            () -> {
                                collection.upsert(3, "{\"n\":30}");
                                rivals[0] = collection.writer().checkpoint(1);
                                takingOver("rival").commit(rivals[0], false);
                            }));
            IOException failure = null;
            try {
                zombie.commit(pending, false);
            } catch (IOException e) {
                failure = e;
            }
            more = rivals[0] != null;
            if (more) {
                assertThat(failure).as("paused at call %d", calls).isNotNull();
                fenced += failure instanceof FencedException ? 1 : 0;
                assertThat(live().version()).isEqualTo(2);
                assertThat(live().properties())
                        .containsEntry(ManifestProperties.COMMIT_ID, rivals[0].commitId());
                String split = pending.units().get(0).split().ulid().toString();
                assertThat(visible()).noneMatch(path -> path.contains(split));
                verified();
                requireNoMore(zombie, pending);
            }
            calls++;
        }
        assertThat(calls).as("calls of one commit").isGreaterThan(10);
        assertThat(fenced).as("fenced by the lease, not by version or base").isPositive();
    }

    private void requireNoMore(LinkApplyCommitter zombie, CollectionCommittable pending)
            throws IOException {
        assertThatThrownBy(() -> zombie.commit(pending, false)).isInstanceOf(IOException.class);
        assertThat(live().version()).isEqualTo(2);
    }

    @Test
    void theSecondJobIsToldWhoHoldsTheCollectionAndUntilWhen() throws IOException {
        CollectionCommittable pending = staged();
        CollectionHandle handle = collection.open();
        String key = handle.paths().leaseKey();
        Lease held = handle.metastore().acquireLease(key, "first/01", 60_000);
        Lease[] extended = new Lease[1];
        LinkApplyCommitter second =
                new LinkApplyCommitter(
                        collection.open(),
                        CommitterOptions.of("second/02"),
                        ms ->
                                extended[0] =
                                        handle.metastore()
                                                .renewLease(key, "first/01", held.epoch(), 90_000));

        assertThatThrownBy(() -> second.commit(pending, false))
                .isInstanceOf(LeaseHeldException.class)
                .satisfies(
                        e ->
                                assertThat(e)
                                        .hasMessageContaining("first/01")
                                        .hasMessageContaining(
                                                Instant.ofEpochMilli(extended[0].expiresAtMs())
                                                        .toString())
                                        .hasMessageContaining("--take-over"));
        assertThat(live().version()).isEqualTo(1);
    }

    @Test
    void theFirstJobIsFencedOnceTheSecondTookOver() throws IOException {
        CollectionCommittable pending = staged();
        TestWriter rival = collection.writer();
        LinkApplyCommitter first = committer("first");
        collection.upsert(5, "{\"n\":5}");
        collection.faults.onceRun(
                "swapPointer",
                unchecked(
                        () -> {
                            CollectionHandle handle = collection.open();
                            handle.metastore()
                                    .takeOverLease(handle.paths().leaseKey(), "second", 60_000);
                        }));
        assertThatThrownBy(() -> first.commit(pending, false))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("another committer took the lease");
        assertThat(live().version()).isEqualTo(1);

        assertThat(takingOver("second").commit(rival.checkpoint(1), false))
                .isEqualTo(new Committed(2));
        verified();
        CollectionHandle handle = collection.open();
        String key = handle.paths().leaseKey();
        assertThatThrownBy(() -> handle.metastore().renewLease(key, "first", 1, 60_000))
                .isInstanceOf(MetastoreException.class)
                .hasMessageContaining("second");
    }

    @Test
    void oneSavepointRestoredTwicePublishesOnce() throws IOException {
        CollectionCommittable saved = staged();
        LinkApplyCommitter one = takingOver("one");
        LinkApplyCommitter two = takingOver("two");

        assertThat(one.commit(saved, true)).isEqualTo(new Committed(2));
        assertThat(two.commit(saved, true)).isEqualTo(new AlreadyCommitted(2));

        TestWriter writerOne = collection.writer();
        TestWriter writerTwo = collection.writer();
        collection.upsert(7, "{\"n\":7}");
        CollectionCommittable ones = writerOne.checkpoint(1);
        CollectionCommittable twos = writerTwo.checkpoint(1);
        assertThat(two.commit(twos, false)).isEqualTo(new Committed(3));
        assertThatThrownBy(() -> one.commit(ones, false))
                .isNotInstanceOf(CommitRefusedException.class) // the restart drops it
                .hasMessageContaining("its row ids stand on commit " + saved.commitId())
                .hasMessageContaining("stands on commit " + twos.commitId());
        assertThat(one.commit(ones, true)).isInstanceOf(CommitOutcome.Dropped.class);
        verified();
    }

    @Test
    void twoRestoresAtTheSameMomentPublishOnce() throws IOException {
        CollectionCommittable saved = staged();
        LinkApplyCommitter slow = takingOver("slow");
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> takingOver("fast").commit(saved, true)));

        assertThat(slow.commit(saved, true)).isEqualTo(new Committed(2));

        assertThat(
                        ManifestChain.of(collection.open()).retained().stream()
                                .filter(link -> link.isCommit(saved.commitId())))
                .hasSize(1);
        verified();
    }

    @Test
    void publishedByAZombieWhileItsUnitsWereLookedUp() throws IOException {
        collection.close();
        long[] clockMs = {1_700_000_000_000L};
        collection = TestCollection.inMemory(dir, 2, () -> clockMs[0]);
        CollectionCommittable saved = staged();
        String keys = collection.open().paths().stagedKeys(saved.units().get(0).unit());
        clockMs[0] += 3_600_000;
        collection.faults.onceRun(
                "stat " + keys,
                unchecked(
                        () -> {
                            takingOver("zombie").commit(saved, true);
                            collection.memory.delete(keys); // as the collector does then
                        }));

        assertThat(takingOver("heir").commit(saved, true)).isEqualTo(new AlreadyCommitted(2));
        verified();
    }

    @Test
    void unitsThatAreGoneAreStillRefusedWhenOnlyMaintenancePublished() throws IOException {
        collection.close();
        long[] clockMs = {1_700_000_000_000L};
        collection = TestCollection.inMemory(dir, 2, () -> clockMs[0]);
        CollectionCommittable saved = staged();
        String keys = collection.open().paths().stagedKeys(saved.units().get(0).unit());
        clockMs[0] += 3_600_000;
        collection.memory.delete(keys);

        assertThatThrownBy(() -> committer("a").commit(saved, true))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining(keys + " is gone");
        assertThat(List.of(live().version())).containsExactly(1L);
    }
}
