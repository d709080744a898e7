package io.loam.store.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.LocalFiles;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GarbageCollector;
import io.loam.store.gc.GcLease;
import io.loam.store.gc.GcOptions;
import io.loam.store.maintain.RoundReport.Status;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.FaultPlan.Rule;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A round of merges, at each of whose calls of a store something happens: the call fails, with and
 * without effect, or somebody else publishes, merges or collects garbage just before it. Afterwards
 * the next round does what is left.
 */
class MergeFaultsTest {
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("merger")
                    .withMerge(
                            MergePolicy.DEFAULT
                                    .withFactors(4, 4)
                                    .withLevels(4, 1_000)
                                    .withPurge(1, 300_000))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false));

    @TempDir Path dir;

    private interface Work {
        void run() throws IOException;
    }

    /** Five splits of which four merge, and a large one that is purged. */
    private final class World implements AutoCloseable {
        private final Path own;
        private final Path work;
        private final TestCollection collection;
        private final TestWriter writer;
        private final LinkApplyCommitter apply;
        private long clockMs = 1_700_000_000_000L;

        World() throws IOException {
            own = Files.createTempDirectory(dir, "world");
            work = Files.createDirectory(own.resolve("work"));
            collection = TestCollection.inMemory(own, 2, () -> clockMs);
            writer = collection.writer();
            apply =
                    new LinkApplyCommitter(
                            collection.open(), CommitterOptions.of("writer"), ms -> {});
            for (int key = 0; key < 30; key++) {
                collection.upsert(key, "{\"n\":" + key + "}");
            }
            commit();
            for (int key = 30; key < 38; key++) {
                collection.upsert(key, "{\"n\":" + key + "}");
                if (key % 2 == 1) {
                    collection.delete(key - 30);
                    collection.delete(key - 29);
                    collection.delete(key - 20);
                    commit();
                }
            }
        }

        void commit() throws IOException {
            CollectionCommittable checkpoint = writer.checkpoint(1);
            apply.commit(checkpoint, false);
        }

        MaintenanceRound round(MaintenanceOptions options) throws IOException {
            return new MaintenanceRound(collection.open(), options, work);
        }

        List<SplitRef> splits() throws IOException {
            return collection.open().live().manifest().splits();
        }

        /** Nothing is wrong, and nothing is left to do after another round. */
        void requireSound(String what) throws IOException {
            assertThat(work).as(what).isEmptyDirectory();
            assertThat(collection.verify().violations()).as(what).isEmpty();
            clockMs += OPTIONS.leaseTtlMs();
            RoundReport report = round(OPTIONS).run();
            assertThat(report.count(Status.PUBLISHED)).as(what).isEqualTo(report.tasks().size());
            assertThat(new MaintenancePlanner(OPTIONS).plan(collection.open())).as(what).isEmpty();
            assertThat(collection.verify().violations()).as(what).isEmpty();
        }

        @Override
        public void close() throws IOException {
            collection.close();
            LocalFiles.delete(own);
        }
    }

    @Test
    void withoutFaultsARoundMergesAndPurges() throws IOException {
        try (World world = new World()) {
            assertThat(world.splits()).hasSize(5);
            RoundReport report = world.round(OPTIONS).run();
            assertThat(report.tasks())
                    .extracting(RoundReport.TaskReport::status)
                    .containsExactly(Status.PUBLISHED, Status.PUBLISHED);
            assertThat(world.splits())
                    .hasSize(2)
                    .allSatisfy(split -> assertThat(split.deletedCount()).isZero());
            world.requireSound("without faults");
        }
    }

    /** What a fault makes no sense for. */
    private static boolean applies(Fault fault, String operation) {
        boolean changes =
                operation.startsWith("put ")
                        || operation.startsWith("swapPointer ")
                        || operation.contains("Lease ");
        boolean pointer = operation.startsWith("head ") || operation.startsWith("pointer ");
        return switch (fault) {
            case AFTER, TIMEOUT_AFTER -> changes;
            case SHORT, FLIPPED -> operation.startsWith("get ");
            case STALE -> operation.startsWith("stat ") || pointer;
            default -> true;
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "SLOW", "STALLED"})
    void aCallThatFailsCostsARoundAtMost(Fault fault) throws IOException {
        int struck = 0;
        boolean more = true;
        for (int use = 1; more; use++) {
            try (World world = new World()) {
                int chosen = use;
                Rule rule =
                        world.collection.faults.rule(
                                operation -> applies(fault, operation), n -> n == chosen, fault);
                try {
                    world.round(OPTIONS).run();
                } catch (IOException e) {
                    assertThat(e)
                            .as("%s at %s", fault, rule.fired())
                            .hasMessageNotContaining("null");
                } catch (CorruptException e) {
                    assertThat(fault).as("%s", e).isIn(Fault.SHORT, Fault.FLIPPED);
                }
                more = !rule.fired().isEmpty();
                struck += rule.fired().size();
                world.collection.faults.heal();
                world.requireSound(fault + " at " + rule.fired());
            }
        }
        assertThat(struck).as("calls that can fail so").isPositive();
        System.out.println(fault + ": " + struck + " calls");
    }

    private enum Rival {
        DELETES_A_DOCUMENT_OF_EACH,
        DELETES_ALL,
        ADDS,
        MERGES,
        COLLECTS_GARBAGE
    }

    private static void act(Rival rival, World world) throws IOException {
        switch (rival) {
            case DELETES_A_DOCUMENT_OF_EACH -> {
                for (int key = 20; key < 38; key += 2) {
                    world.collection.delete(key);
                }
                world.commit();
            }
            case DELETES_ALL -> {
                for (int key = 0; key < 38; key++) {
                    world.collection.delete(key);
                }
                world.collection.upsert(100, "{\"n\":1}");
                world.commit();
            }
            case ADDS -> {
                world.collection.upsert(31, "{\"n\":7}");
                world.commit();
            }
            case MERGES -> {
                // As if the first one's lease had run out.
                world.clockMs += OPTIONS.leaseTtlMs() + 1;
                world.round(OPTIONS.withOwner("rival")).run();
            }
            case COLLECTS_GARBAGE -> {
                world.clockMs += GcOptions.DEFAULT.graceMs() + 1;
                try (GcLease lease =
                                GcLease.acquire(world.collection.open().metastore(), "gc", 60_000);
                        GarbageCollector collector =
                                new GarbageCollector(world.collection.open(), GcOptions.DEFAULT)) {
                    collector.sweep(lease);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Rival.class)
    void whoeverComesBetweenAnyTwoCallsLosesNothing(Rival rival) throws IOException {
        boolean more = true;
        int calls = 0;
        List<Integer> maintenance = new ArrayList<>();
        for (int use = 1; more; use++) {
            try (World world = new World()) {
                int chosen = use;
                boolean[] acted = new boolean[1];
                world.collection.faults.rule(call -> true, n -> n == chosen, Fault.SLOW);
                Work work =
                        () -> {
                            acted[0] = true;
                            act(rival, world);
                        };
                world.collection.faults.slowness(
                        () -> {
                            try {
                                work.run();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
                RoundReport report = world.round(OPTIONS).run();
                more = acted[0];
                calls++;
                world.collection.faults.heal();
                assertThat(report.count(Status.FAILED)).as("call %d: %s", use, report).isZero();
                maintenance.add(
                        world.collection.open().live().manifest().kind() == CommitKind.MAINTENANCE
                                ? 1
                                : 0);
                world.requireSound(rival + " before call " + use);
            }
        }
        assertThat(calls).as("calls of a round").isGreaterThan(20);
        assertThat(maintenance).as("rounds that published last").contains(1);
        System.out.println(rival + ": " + calls + " calls");
    }
}
