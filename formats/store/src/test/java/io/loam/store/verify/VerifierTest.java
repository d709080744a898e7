package io.loam.store.verify;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.PkDelta;
import io.loam.codec.manifest.PkDeltaCodec;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.history.History;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A sound collection verifies, and every kind of damage is found. */
class VerifierTest {
    @TempDir Path dir;
    private TestCollection collection;
    private CollectionHandle handle;
    private CollectionManifest live;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 1);
        TestWriter writer = collection.writer();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            collection.upsert(1, "{\"n\":1}");
            collection.upsert(2, "{\"n\":2}");
            collection.upsert(3, "{\"n\":\"x\"}");
            committer.commit(writer.checkpoint(1), false);
            collection.upsert(2, "{\"n\":20}");
            committer.commit(writer.checkpoint(1), false);
        }
        handle = collection.open();
        live = handle.live().manifest();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void finds(String violation) throws IOException {
        VerifyReport report = collection.verify();
        assertThat(report.ok()).isFalse();
        assertThat(report.violations()).anyMatch(line -> line.contains(violation));
    }

    @Test
    void soundCollection() throws IOException {
        VerifyReport report = collection.verify();
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
        assertThat(report.ok()).isTrue();
        assertThat(report.keys()).isEqualTo(2);
        assertThat(report.counts())
                .containsEntry("splits", 2L)
                .containsEntry("log records", 4L)
                .containsEntry("dead letters", 1L)
                .containsEntry("manifests", 2L)
                .containsEntry("operations", 2L)
                .containsEntry("PK deltas", 1L);
    }

    @Test
    void afterASchemaChangeTheLettersOfEachCommitTellWhatItsSchemaTurnedAway() throws IOException {
        handle.metastore()
                .updateSchema(
                        handle.info().id(),
                        1,
                        TestCollection.schema(2, List.of("n", "m"), List.of()));
        TestWriter writer = collection.writer();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("b"))) {
            collection.upsert(4, "{\"m\":4}");
            collection.upsert(5, "{\"m\":\"x\"}");
            collection.upsert(6, "{\"n\":\"y\"}");
            committer.commit(writer.checkpoint(2), false);
        }
        VerifyReport report = collection.verify();
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
        assertThat(report.keys()).isEqualTo(3);
        assertThat(report.counts()).containsEntry("dead letters", 3L);
        assertThat(collection.open().live().manifest().schemaVersion()).isEqualTo(2);
    }

    @Test
    void withoutALogTheComparisonIsNamedAsSkipped() throws IOException {
        VerifyReport report = Verifier.verify(handle);
        assertThat(report.ok()).isTrue();
        assertThat(report.skipped())
                .containsExactly("rows were not compared with the log: there is no log to read");
    }

    @Test
    void trimmedLogIsNamedAsSkipped() throws IOException {
        LogReader trimmed =
                new LogReader() {
                    @Override
                    public long startOffset(int partition) {
                        return 2;
                    }

                    @Override
                    public void read(int partition, long end, Sink sink) {
                        throw new AssertionError("must not be read");
                    }

                    @Override
                    public void close() {}
                };
        assertThat(Verifier.againstLog(handle, trimmed).skipped())
                .containsExactly(
                        "rows were not compared with the log: partition 0 starts at offset 2");
    }

    @Test
    void rowsMustEqualAModel() throws IOException {
        Map<PrimaryKey, ExpectedRow> model = new HashMap<>();
        model.put(
                PrimaryKey.ofU64(1),
                new ExpectedRow(TestCollection.document(1, "{\"n\":1}"), 0, 0));
        model.put(
                PrimaryKey.ofU64(2),
                new ExpectedRow(TestCollection.document(2, "{\"n\":20}"), 0, 3));
        assertThat(Verifier.againstModel(handle, model).violations()).isEmpty();
        model.put(
                PrimaryKey.ofU64(1),
                new ExpectedRow(TestCollection.document(1, "{\"n\":7}"), 0, 5));
        model.remove(PrimaryKey.ofU64(2));
        model.put(PrimaryKey.ofU64(8), new ExpectedRow(TestCollection.document(8, "{}"), 0, 9));
        assertThat(Verifier.againstModel(handle, model).violations())
                .containsExactlyInAnyOrder(
                        "key 1: written by partition 0 offset 0, expected partition 0 offset 5",
                        "key 1: source {\"n\":1}, expected {\"n\":7}",
                        live.splits().size() == 2 ? rowOf2() : "",
                        "key 8: has no row");
    }

    private String rowOf2() {
        long row = live.splits().get(1).ranges().get(0).start();
        return "key 2: row " + row + " should not be there";
    }

    @Test
    void missingObjectsAreFound() throws IOException {
        collection.memory.delete(live.pkDelta());
        collection.memory.delete(live.splits().get(0).deleteBitmap());
        finds(live.pkDelta() + ": is gone");
        finds(live.splits().get(0).deleteBitmap() + ": is gone");
    }

    @Test
    void objectOfAnotherSizeIsFound() throws IOException {
        String path = handle.paths().split(live.splits().get(1).ulid());
        collection.memory.corrupt(path, new byte[3]);
        finds(path + ": has 3 bytes, expected");
    }

    @Test
    void otherDataFileIsFound() throws IOException {
        String path = handle.objects().list(handle.paths().lance() + "data/").get(0).path();
        byte[] good = collection.memory.get(path);
        collection.memory.corrupt(path, Arrays.copyOf(good, good.length + 1));
        finds(path + ": crc32c is ");
    }

    @Test
    void otherPkDeltaIsFound() throws IOException {
        collection.memory.corrupt(
                live.pkDelta(),
                PkDeltaCodec.encode(
                        new PkDelta(List.of(new PkDelta.Entry(PrimaryKey.ofU64(2), 1L)))));
        finds(live.pkDelta() + ": name and checksum are ");
    }

    @Test
    void wrongPkDeltaIsFound() throws IOException {
        collection.memory.corrupt(
                live.pkDelta(),
                PkDeltaCodec.encode(
                        new PkDelta(List.of(new PkDelta.Entry(PrimaryKey.ofU64(2), null)))));
        finds("key 2: PK deltas lead to no row");
    }

    @Test
    void historyAndDiffTellTheCommits() throws IOException {
        History history = History.of(handle);
        assertThat(history.rows()).hasSize(2);
        assertThat(history.rows().get(0).description())
                .isEqualTo("apply 1 records, offsets p0 3..4");
        assertThat(history.rows().get(0).derived()).isFalse();
        assertThat(history.rows().get(0).files()).anyMatch(file -> file.contains("/pkdelta/"));
        assertThat(history.diff(1, 2)).isNotEmpty();
        assertThat(history.diff(2, 2)).isEmpty();
        assertThat(history.steps(0, 2).size()).isGreaterThan(history.diff(1, 2).size());
        assertThatThrownBy(() -> history.diff(2, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
