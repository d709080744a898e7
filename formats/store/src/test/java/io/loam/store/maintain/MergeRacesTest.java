package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.manifest.TaskKeys;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitOutcome;
import io.loam.store.history.History;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOutcome.Result;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.testing.FaultPlan.Fault;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Merges and whoever comes between plan, build and commit, on the real metastore in SQLite. */
class MergeRacesTest extends MergeTestBase {
    @Test
    void documentsDeletedSinceTheBuildStayDeleted() throws IOException {
        fill(2);
        collection.delete(0);
        apply();
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        apply();

        requirePublished(publish(merged), 5);

        SplitRef split = splits().get(0);
        assertThat(split.ulid()).isEqualTo(merged.split().ulid());
        assertThat(split.docCount()).isEqualTo(7);
        assertThat(split.deletedCount()).isEqualTo(2);
        assertThat(split.deleteBitmap()).isNotEmpty();
        assertThat(keys()).containsExactly(2L, 3L, 4L, 5L, 6L, 7L);
        verified();
    }

    @Test
    void documentsDeletedJustBeforeTheSwapStayDeleted() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));

        requirePublished(publish(merged), 4);

        assertThat(splits().get(0).deletedCount()).isEqualTo(2);
        assertThat(History.of(collection.open()).rows().get(0).attempt()).isEqualTo(1);
        assertThat(keys()).containsExactly(0L, 2L, 3L, 4L, 5L, 6L, 7L);
        verified();
    }

    @Test
    void anApplyCommitThatLosesToAMergeDeletesInTheMergedSplit() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.delete(1);
        collection.upsert(5, "{\"n\":50}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publish(merged), 3)));

        assertThat(apply.commit(checkpoint, false)).isEqualTo(new CommitOutcome.Committed(4));

        assertThat(splits().get(0).ulid()).isEqualTo(merged.split().ulid());
        assertThat(splits().get(0).deletedCount()).isEqualTo(2);
        verified();
    }

    @Test
    void ofTwoMergesOfTheSameSplitsOneIsPublished() throws IOException {
        fill(3);
        MergedSplits one = run(mergeOfAll());
        MergedSplits two = run(mergeOfAll());
        MaintenanceOutcome outcome = publish(one, two);
        assertThat(outcome.version()).isEqualTo(4);
        assertThat(outcome.works())
                .extracting(Result::fate)
                .containsExactly(
                        MaintenanceOutcome.Fate.PUBLISHED, MaintenanceOutcome.Fate.ABANDONED);
        requireNothing(publish(two), MaintenanceOutcome.Fate.ABANDONED, "meanwhile");
        assertThat(splits()).extracting(SplitRef::ulid).containsExactly(one.split().ulid());
        verified();
    }

    @Test
    void aMergeThatLosesToAMergeOfItsInputsIsAbandoned() throws IOException {
        fill(3);
        MergedSplits fast = run(mergeOfAll());
        MergedSplits slow = run(mergeOfAll());
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publishAsRival(fast), 4)));
        requireNothing(publish(slow), MaintenanceOutcome.Fate.ABANDONED, "meanwhile");
        verified();
    }

    @Test
    void aMergeThatLosesToAMergeOfOtherSplitsIsPublishedAfterIt() throws IOException {
        fill(4);
        List<Ulid> ids = splits().stream().map(SplitRef::ulid).toList();
        MergedSplits fast = run(new MergeSplits(ids.subList(0, 2)));
        MergedSplits slow = run(new MergeSplits(ids.subList(2, 4)));
        collection.faults.onceRun(
                "swapPointer", unchecked(() -> requirePublished(publishAsRival(fast), 5)));
        requirePublished(publish(slow), 6);
        assertThat(splits())
                .extracting(SplitRef::ulid)
                .containsExactly(fast.split().ulid(), slow.split().ulid());
        verified();
    }

    @Test
    void aSwapWhoseAnswerIsLostIsRecognised() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        requirePublished(publish(merged), 3);
        assertThat(live().version()).isEqualTo(3);
        verified();
    }

    @Test
    void aSwapThatMayOrMayNotHaveHappenedIsTriedAgain() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_BEFORE);
        requirePublished(publish(merged), 3);
        verified();
    }

    @Test
    void whenNobodySaysWhetherItWasPublishedTheNextCallFindsOut() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.once("swapPointer", Fault.TIMEOUT_AFTER);
        collection.faults.rule(
                operation ->
                        operation.startsWith("pointer ") || operation.startsWith("swapPointer"),
                n -> true,
                Fault.TIMEOUT_BEFORE);
        assertThatThrownBy(() -> publish(merged)).hasMessageContaining("did not say whether");
        collection.faults.heal();
        apply(); // whoever comes next carries it on
        MaintenanceOutcome again = publish(merged);
        assertThat(again.version()).isZero();
        assertThat(again.isComplete()).isTrue();
        assertThat(again.works().get(0).text()).contains("before");
        verified();
    }

    @Test
    void putsWhoseAnswersAreLostAreFound() throws IOException {
        fill(2);
        collection.delete(1);
        CollectionCommittable checkpoint = writer.checkpoint(1);
        MergedSplits merged = run(mergeOfAll());
        apply.commit(checkpoint, false);
        for (String part : List.of("/text/deletes/", "/manifests/")) {
            collection.faults.once("put ns/1/collections/1" + part, Fault.AFTER);
            assertThatThrownBy(() -> publish(merged)).hasMessageContaining("injected after");
            assertThat(live().version()).isEqualTo(3);
        }
        requirePublished(publish(merged), 4);
        verified();
    }

    @Test
    void anUploadThatBreaksOffIsDoneAgain() throws IOException {
        fill(2);
        for (Fault fault : List.of(Fault.BEFORE, Fault.AFTER)) {
            for (String part : List.of("/staged/", "/text/splits/")) {
                collection.faults.once("put ns/1/collections/1" + part, fault);
                assertThatThrownBy(() -> run(mergeOfAll())).hasMessageContaining("injected");
                assertThat(dir.resolve("work")).isEmptyDirectory();
            }
        }
        requirePublished(publish(run(mergeOfAll())), 3);
        verified();
    }

    @Test
    void withoutRebasesOneThatIsFasterBlocksIt() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.upsert(20, "{\"n\":1}");
        CollectionCommittable checkpoint = writer.checkpoint(1);
        collection.faults.onceRun("swapPointer", unchecked(() -> apply.commit(checkpoint, false)));
        MaintenanceOutcome outcome = publish(OPTIONS.withMaxRebases(0), merged);
        requireNothing(outcome, MaintenanceOutcome.Fate.BLOCKED, "came first 1 times");
        requirePublished(publish(merged), 4);
        verified();
    }

    @Test
    void fiveRebasesAndNoMore() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        int[] swaps = {0};
        collection.faults.rule(
                operation -> operation.startsWith("swapPointer"), n -> n % 2 == 1, Fault.SLOW);
        collection.faults.slowness(
                unchecked(
                        () -> {
                            swaps[0]++;
                            collection.upsert(20 + swaps[0], "{\"n\":1}");
                            apply();
                        }));
        requireNothing(publish(merged), MaintenanceOutcome.Fate.BLOCKED, "came first 6 times");
        assertThat(swaps[0]).isEqualTo(6);
        verified();
    }

    @Test
    void aCommitThatTookTooLongIsBlocked() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        collection.faults.onceRun(
                "swapPointer",
                () -> {
                    try {
                        Thread.sleep(30);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
        requireNothing(
                publish(OPTIONS.withMaxCommitDelayMs(5), merged),
                MaintenanceOutcome.Fate.BLOCKED,
                "took longer than 5 ms");
        requirePublished(publish(merged), 3);
    }

    @Test
    void whoTookTheLeaseStopsTheOther() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        CollectionHandle handle = collection.open();
        collection.faults.onceRun(
                "swapPointer",
                unchecked(
                        () ->
                                handle.metastore()
                                        .takeOverLease(
                                                TaskKeys.lease(
                                                        TaskKeys.mergeSplits(handle.info().id())),
                                                "other",
                                                60_000)));
        requireNothing(publish(merged), MaintenanceOutcome.Fate.BLOCKED, "another committer took");
        assertThat(live().version()).isEqualTo(2);
    }

    @Test
    void aDroppedCollectionEndsIt() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        requireDroppedIsAbandoned(OPTIONS, merged);
    }

    @Test
    void aSplitThatIsGoneOrAnotherIsNotPublished() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        String path = collection.open().paths().split(merged.split().ulid());
        byte[] bytes = collection.memory.get(path);
        collection.memory.delete(path);
        requireNothing(publish(merged), MaintenanceOutcome.Fate.ABANDONED, path + " is gone");
        collection.memory.put(path, new byte[3]);
        requireNothing(publish(merged), MaintenanceOutcome.Fate.ABANDONED, path + " is gone");
        collection.memory.delete(path);
        collection.memory.put(path, bytes);
        requirePublished(publish(merged), 3);
    }

    @Test
    void workThatIsTooOldIsNotPublished() throws IOException {
        fill(2);
        MergedSplits merged = run(mergeOfAll());
        long half = OPTIONS.stagingRetentionMs() / 2;
        MergedSplits old =
                new MergedSplits(
                        merged.inputs(),
                        merged.split(),
                        merged.unit(),
                        merged.createdAtMs() - half - 1000,
                        false);
        requireNothing(publish(old), MaintenanceOutcome.Fate.ABANDONED, "it was begun");
    }
}
