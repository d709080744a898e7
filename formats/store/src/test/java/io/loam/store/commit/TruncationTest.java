package io.loam.store.commit;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.PkDelta;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.history.History;
import io.loam.store.metastore.Lease;
import io.loam.store.repair.IndexRepair;
import io.loam.store.repair.RepairPlan;
import io.loam.store.repair.RepairState;
import io.loam.store.retry.Pause;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.ExpectedRow;
import io.loam.store.verify.Verifier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TruncationTest {
    private static final int LIST_KEYS = 2;

    @TempDir Path dir;
    private TestCollection collection;
    private final Map<PrimaryKey, ExpectedRow> model = new HashMap<>();

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 4);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private Truncation truncation() throws IOException {
        return truncation(ms -> {});
    }

    private Truncation truncation(Pause pause) throws IOException {
        return new Truncation(
                collection.open(), CommitterOptions.of("t"), "TRUNCATE docs", LIST_KEYS, pause);
    }

    private LinkApplyCommitter committer() throws IOException {
        return new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"), ms -> {});
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    private void upsert(long key) {
        String json = "{\"n\":" + key + "}";
        collection.upsert(key, json);
        model.put(PrimaryKey.ofU64(key), ExpectedRow.of(TestCollection.document(key, json)));
    }

    private void delete(long key) {
        collection.delete(key);
        model.remove(PrimaryKey.ofU64(key));
    }

    /** Two versions: seven documents, of which one is deleted and one replaced. */
    private TestWriter written() throws IOException {
        TestWriter writer = collection.directWriter();
        for (long key = 1; key <= 7; key++) {
            upsert(key);
        }
        publish(writer);
        delete(3);
        upsert(4);
        publish(writer);
        return writer;
    }

    private void publish(TestWriter writer) throws IOException {
        try (LinkApplyCommitter committer = committer()) {
            committer.commit(writer.checkpoint(2), false);
        }
    }

    private void verified() throws IOException {
        assertThat(Verifier.againstModel(collection.open(), model).violations()).isEmpty();
    }

    @Test
    void removesEveryDocumentInOneVersion() throws IOException {
        written();
        assertThat(truncation().run()).isEqualTo(6);
        model.clear();

        assertThat(live().version()).isEqualTo(3);
        assertThat(live().liveDocCount()).isZero();
        assertThat(live().splits()).isEmpty();
        assertThat(History.of(collection.open()).rows().get(0).description())
                .isEqualTo("apply 6 changes");
        verified();
    }

    @Test
    void aWriterGoesOnAboveIt() throws IOException {
        written();
        truncation().run();
        model.clear();
        TestWriter next = collection.directWriter();
        assertThat(next.index()).isEmpty();
        // It starts with the log's first record, so key 3 is there and deleted again.
        for (long key = 1; key <= 7; key++) {
            upsert(key);
        }
        try (LinkApplyCommitter committer = committer()) {
            assertThat(committer.commit(next.checkpoint(1), false)).isEqualTo(new Committed(4));
        }
        verified();
    }

    /** What a job that was running when the collection was emptied does at its restart. */
    @Test
    void theIndexOfAJobIsRepairedWithItsKeys() throws IOException {
        TestWriter writer = written();
        Map<PrimaryKey, Long> index = new HashMap<>(writer.index());
        truncation().run();

        RepairState state = new RepairState(writer.incarnation(), 2, 2, "");
        RepairPlan.Replay replay = (RepairPlan.Replay) IndexRepair.plan(collection.open(), state);
        for (PkDelta delta : replay.deltas()) {
            delta.entries().forEach(entry -> assertThat(entry.rowId()).isNull());
            delta.entries().forEach(entry -> index.remove(entry.key()));
        }
        assertThat(index).isEmpty();
        // What it staged on rows that are gone is not published.
        collection.upsert(1, "{\"n\":9}");
        CollectionCommittable late = writer.checkpoint(1);
        try (LinkApplyCommitter committer = committer()) {
            assertThatThrownBy(() -> committer.commit(late, false))
                    .isInstanceOf(CommitRefusedException.class);
        }
        assertThat(live().liveDocCount()).isZero();
    }

    @Test
    void anEmptyCollectionStaysAtItsVersion() throws IOException {
        assertThat(truncation().run()).isZero();
        assertThat(live().version()).isZero();
        written();
        truncation().run();
        assertThat(truncation().run()).isZero();
        assertThat(live().version()).isEqualTo(3);
    }

    @Test
    void commitsOfAStreamAreNotCutOff() throws IOException {
        TestWriter writer = collection.writer();
        upsert(1);
        publish(writer);
        Truncation truncation = truncation();
        assertThatThrownBy(truncation::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was first written in STREAM mode");
        assertThat(live().version()).isEqualTo(1);
    }

    @Test
    void aRunningWriterIsNotDisturbed() throws IOException {
        written();
        CollectionHandle handle = collection.open();
        String key = handle.paths().leaseKey();
        Lease held = handle.metastore().acquireLease(key, "job/01", 60_000);
        Truncation truncation =
                truncation(
                        ms -> handle.metastore().renewLease(key, "job/01", held.epoch(), 90_000));
        assertThatThrownBy(truncation::run)
                .isInstanceOf(LeaseHeldException.class)
                .hasMessageContaining("job/01");
        assertThat(live().version()).isEqualTo(2);
        verified();
    }

    @Test
    void whatIsPublishedMeanwhileIsRemovedToo() throws IOException {
        TestWriter writer = written();
        upsert(8);
        CollectionCommittable rival = writer.checkpoint(1);
        collection.faults.onceRun(
                ".keys",
                () -> {
                    try (LinkApplyCommitter committer = committer()) {
                        committer.commit(rival, false);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThat(truncation().run()).isEqualTo(7);
        model.clear();
        assertThat(live().version()).isEqualTo(4);
        verified();
    }

    @Test
    void aFailureLeavesEverything() throws IOException {
        written();
        for (String step : new String[] {".stg", ".keys", "/_versions/", "put ns/1/collections"}) {
            collection.faults.once(step, Fault.BEFORE);
            Truncation truncation = truncation();
            assertThatThrownBy(truncation::run).as(step).isInstanceOf(IOException.class);
            assertThat(live().version()).isEqualTo(2);
            verified();
        }
        assertThat(truncation().run()).isEqualTo(6);
    }
}
