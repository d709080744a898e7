package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** When a merge joins segments, and when it indexes rows anew. */
class JoiningTest extends MergeTestBase {
    private void assertMerged(MergedSplits merged, boolean joined) throws IOException {
        assertThat(merged.joined()).isEqualTo(joined);
        MaintenanceOutcome outcome = publish(merged);
        requirePublished(outcome, live().version());
        if (joined) {
            assertThat(outcome.works().get(0).text()).endsWith(", segments joined");
        } else {
            assertThat(outcome.works().get(0).text()).doesNotContain("joined");
        }
        verified();
    }

    @Test
    void splitsOfNewRowsAreJoined() throws IOException {
        fill(3);
        assertMerged(run(mergeOfAll()), true);
        collection.upsert(20, "{}");
        apply();
        assertMerged(run(mergeOfAll()), true);
        assertThat(keys()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 20L);
    }

    @Test
    void whatIsDeletedOfAJoinedSplitBeforeItIsPublishedStaysDeleted() throws IOException {
        fill(3);
        MergedSplits merged = run(mergeOfAll());
        collection.delete(5);
        apply();
        assertMerged(merged, true);
        assertThat(keys()).doesNotContain(5L).hasSize(11);
        assertMerged(run(mergeOfAll()), false);
    }

    @Test
    void splitsWithDeletedDocumentsAreNot() throws IOException {
        fill(3);
        collection.delete(5);
        apply();
        assertMerged(run(mergeOfAll()), false);
    }

    @Test
    void splitsWhoseRowsInterleaveAreNot() throws IOException {
        fill(4);
        List<Ulid> ids = splits().stream().map(split -> split.ulid()).toList();
        assertMerged(run(new MergeSplits(List.of(ids.get(0), ids.get(2)))), true);
        assertMerged(run(new MergeSplits(splits().stream().map(s -> s.ulid()).toList())), false);
    }

    @Test
    void aSettingTurnsItOff() throws IOException {
        fill(2);
        MergedSplits merged =
                (MergedSplits)
                        run(OPTIONS.withMerge(OPTIONS.merge().withJoin(false)), mergeOfAll());
        assertMerged(merged, false);
    }

    /** Rows are the truth, so a damaged split is healed by its merge. */
    @Test
    void whatCannotBeJoinedIsIndexedAnew() throws IOException {
        fill(2);
        String path = collection.open().paths().split(splits().get(1).ulid());
        byte[] bytes = collection.memory.get(path);
        collection.memory.delete(path);
        collection.memory.put(path, new byte[bytes.length + 1]);
        MergedSplits merged = run(mergeOfAll());
        assertThat(merged.joined()).isFalse();
        requirePublished(publish(merged), 3);
        assertThat(keys()).hasSize(8);
    }
}
