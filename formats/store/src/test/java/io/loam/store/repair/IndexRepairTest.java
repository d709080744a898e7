package io.loam.store.repair;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.PkDelta;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CollectionCommittable;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class IndexRepairTest {
    @TempDir Path dir;
    private TestCollection collection;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 1);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private CollectionCommittable commit(TestWriter writer) throws IOException {
        CollectionCommittable committable = writer.checkpoint(1);
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(committable, false);
        }
        return committable;
    }

    private RepairPlan plan(RepairState state) throws IOException {
        return IndexRepair.plan(collection.open(), state);
    }

    @Test
    void withoutRestoredStateTheIndexIsRebuilt() throws IOException {
        assertThat(plan(RepairState.NONE)).isInstanceOf(RepairPlan.Rebuild.class);
        collection.upsert(1, "{}");
        TestWriter writer = collection.writer();
        CollectionCommittable last = commit(writer);
        RepairPlan.Rebuild rebuild = (RepairPlan.Rebuild) plan(RepairState.NONE);
        assertThat(rebuild.base()).isEqualTo(last.commitId());
        Map<PrimaryKey, Long> index = new HashMap<>();
        CollectionHandle handle = collection.open();
        assertThat(
                        IndexRebuild.scan(handle, rebuild.live(), 0, 2, index::put)
                                + IndexRebuild.scan(handle, rebuild.live(), 1, 2, index::put))
                .isEqualTo(1);
        assertThat(index).isEqualTo(writer.index());
    }

    @Test
    void ownCommitNotAboveTheSnapshotKeepsTheIndex() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        CollectionCommittable first = commit(writer);
        assertThat(plan(new RepairState(writer.incarnation(), 1, 1, "")))
                .isEqualTo(new RepairPlan.Keep(first.commitId()));
        assertThat(plan(new RepairState(writer.incarnation(), 5, 5, "")))
                .isEqualTo(new RepairPlan.Keep(first.commitId()));
    }

    @Test
    void nothingPublishedSinceTheStartKeepsTheIndex() throws IOException {
        TestWriter first = collection.writer();
        collection.upsert(1, "{}");
        CollectionCommittable last = commit(first);
        TestWriter second = collection.writer();
        assertThat(plan(new RepairState(second.incarnation(), 3, 3, last.commitId())))
                .isEqualTo(new RepairPlan.Keep(last.commitId()));
    }

    @Test
    void whatIsPendingOfAnInheritedSnapshotKeepsTheIndex() throws IOException {
        TestWriter first = collection.writer();
        collection.upsert(1, "{}");
        String base = commit(first).commitId();
        // The snapshot at checkpoint 2 is taken over before its commit is published.
        RepairState taken = new RepairState(first.incarnation(), 2, 2, "");
        assertThat(plan(taken)).isInstanceOf(RepairPlan.Keep.class);
        Ulid second = new Ulid(99, 99);
        RepairState after = new RepairState(second, 3, 3, base, taken.takenOver());
        collection.upsert(2, "{}");
        String pending = commit(first).commitId();
        assertThat(plan(after)).isEqualTo(new RepairPlan.Keep(pending));
        // A commit above the snapshot came from a writer that went on.
        collection.upsert(3, "{}");
        commit(first);
        assertThat(plan(after)).isInstanceOf(RepairPlan.Rebuild.class);
    }

    @Test
    void anIncarnationThatStagedNothingHandsDownWhatItInherited() {
        RepairState.Snapshot old = new RepairState.Snapshot(new Ulid(1, 1), 7);
        Ulid now = new Ulid(2, 2);
        assertThat(new RepairState(now, 9, -1, "b", old).takenOver()).isEqualTo(old);
        assertThat(new RepairState(now, 9, 8, "b", old).takenOver())
                .isEqualTo(new RepairState.Snapshot(now, 9));
    }

    @Test
    void commitsAfterTheTipAreReplayedOldestFirst() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        commit(writer);
        Map<PrimaryKey, Long> snapshot = new HashMap<>(writer.index());
        collection.upsert(2, "{}");
        commit(writer);
        collection.delete(2);
        collection.upsert(1, "{\"n\":1}");
        CollectionCommittable last = commit(writer);

        RepairPlan.Replay replay =
                (RepairPlan.Replay) plan(new RepairState(writer.incarnation(), 1, 1, ""));
        assertThat(replay.base()).isEqualTo(last.commitId());
        assertThat(replay.deltas()).hasSize(2);
        for (PkDelta delta : replay.deltas()) {
            for (PkDelta.Entry entry : delta.entries()) {
                if (entry.rowId() == null) {
                    snapshot.remove(entry.key());
                } else {
                    snapshot.put(entry.key(), entry.rowId());
                }
            }
        }
        assertThat(snapshot).isEqualTo(writer.index());
    }

    @Test
    void withoutATipTheStartIsLookedFor() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        CollectionCommittable first = commit(writer);
        collection.upsert(2, "{}");
        commit(writer);
        TestWriter other = collection.writer();
        assertThat(plan(new RepairState(other.incarnation(), 4, -1, first.commitId())))
                .isInstanceOfSatisfying(
                        RepairPlan.Replay.class, plan -> assertThat(plan.deltas()).hasSize(1));
        assertThat(plan(new RepairState(other.incarnation(), 4, -1, "")))
                .isInstanceOfSatisfying(
                        RepairPlan.Replay.class, plan -> assertThat(plan.deltas()).hasSize(2));
    }

    @Test
    void tipThatWasNeverPublishedMeansRebuild() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        commit(writer);
        TestWriter other = collection.writer();
        collection.upsert(2, "{}");
        commit(other);
        assertThat(plan(new RepairState(writer.incarnation(), 2, 2, "")))
                .isInstanceOf(RepairPlan.Rebuild.class);
    }

    @Test
    void missingDeltaMeansRebuild() throws IOException {
        TestWriter writer = collection.writer();
        collection.upsert(1, "{}");
        commit(writer);
        collection.upsert(2, "{}");
        commit(writer);
        collection.memory.delete(collection.open().live().manifest().pkDelta());
        assertThat(plan(new RepairState(writer.incarnation(), 1, 1, "")))
                .isInstanceOf(RepairPlan.Rebuild.class);
    }
}
