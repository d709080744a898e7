package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Rounds: leases, several tasks, and what is reported. */
class MaintenanceRoundTest extends MergeTestBase {
    private RoundReport round() throws IOException {
        return round(OPTIONS);
    }

    private RoundReport round(MaintenanceOptions options) throws IOException {
        return new MaintenanceRound(
                        collection.open(), options, Files.createDirectories(dir.resolve("work")))
                .run();
    }

    @Test
    void roundsMergeUntilThereIsNothingToDo() throws IOException {
        fill(9);
        collection.delete(1);
        collection.delete(2);
        apply();
        List<Integer> counts = new ArrayList<>();
        RoundReport report = round();
        while (report.progressed()) {
            counts.add(splits().size());
            assertThat(report.count(RoundReport.Status.PUBLISHED)).isEqualTo(report.tasks().size());
            verified();
            report = round();
        }
        assertThat(counts.get(counts.size() - 1)).isEqualTo(1);
        assertThat(splits().get(0).docCount()).isEqualTo(34);
        assertThat(report.tasks()).isEmpty();
        // Leases are given up.
        assertThat(
                        collection
                                .open()
                                .metastore()
                                .lease(TaskKeys.lease(TaskKeys.mergeSplits(1)))
                                .orElseThrow()
                                .owner())
                .isNull();
    }

    @Test
    void aTaskThatFailsKeepsNoOtherFromBeingPublished() throws IOException {
        fill(5);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        for (int key = 0; key < 3; key++) {
            collection.delete(key); // the first split has one document left: to be merged last
        }
        apply();
        TaskRunner real =
                new CollectionTaskRunner(
                        collection.open(), OPTIONS, Files.createDirectories(dir.resolve("work")));
        MaintenanceOptions options =
                OPTIONS.withMerge(
                        MergePolicy.DEFAULT
                                .withFactors(4, 4)
                                .withLevels(2, 1_000)
                                .withPurge(1, 300_000));
        RoundReport report =
                new MaintenanceRound(
                                collection.open(),
                                options,
                                task -> {
                                    if (((MergeSplits) task).isPurge()) {
                                        throw new IllegalStateException("no disk");
                                    }
                                    return real.run(task);
                                })
                        .run();
        assertThat(report.tasks())
                .extracting(RoundReport.TaskReport::status)
                .containsExactly(RoundReport.Status.FAILED, RoundReport.Status.PUBLISHED);
        assertThat(report.tasks().get(0).text()).contains("no disk");
        assertThat(splits()).hasSize(2).extracting(SplitRef::ulid).contains(ids.get(0));
        verified();
    }

    @Test
    void aRoundMergesAndCompactsInOneVersion() throws IOException {
        fill(5);
        collection.delete(1);
        apply();
        long before = live().version();
        RoundReport report = round(OPTIONS.withCompaction(CompactionPolicy.DEFAULT));
        assertThat(report.version()).isEqualTo(before + 1);
        assertThat(report.tasks()).hasSize(2);
        assertThat(report.count(RoundReport.Status.PUBLISHED)).isEqualTo(2);
        verified();
        collection.upsert(2, "{\"n\":22}");
        apply();
        verified();
    }

    @Test
    void aRoundStandsBackWhereAnotherHoldsTheLeases() throws IOException {
        fill(5);
        CollectionHandle handle = collection.open();
        long id = handle.info().id();
        String merge = TaskKeys.lease(TaskKeys.mergeSplits(id));
        String compact = TaskKeys.lease(TaskKeys.compact(id));
        handle.metastore().acquireLease(compact, "somebody", 60_000);
        MaintenanceOptions both = OPTIONS.withCompaction(CompactionPolicy.DEFAULT);
        RoundReport one = round(both);
        assertThat(one.progressed()).isTrue();
        assertThat(one.held()).singleElement().asString().contains(compact, "somebody");
        fill(5);
        handle.metastore().acquireLease(merge, "somebody", 60_000);
        RoundReport two = round(both);
        assertThat(two.progressed()).isFalse();
        assertThat(two.tasks()).isEmpty();
        assertThat(two.held()).hasSize(2);
    }

    @Test
    void maintenanceIsNoneOfTheApplyLeasesBusiness() throws IOException {
        fill(5);
        CollectionHandle handle = collection.open();
        long epoch = handle.metastore().lease(handle.paths().leaseKey()).orElseThrow().epoch();
        assertThat(round().progressed()).isTrue();
        assertThat(handle.metastore().lease(handle.paths().leaseKey()).orElseThrow().epoch())
                .isEqualTo(epoch);
        collection.upsert(1, "{\"n\":3}");
        apply();
        verified();
    }
}
