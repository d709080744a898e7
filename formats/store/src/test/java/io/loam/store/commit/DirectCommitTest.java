package io.loam.store.commit;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.DeadLetter;
import io.loam.codec.manifest.DeadLetterCodec;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.manifest.ManifestProperties;
import io.loam.store.commit.CommitOutcome.AlreadyCommitted;
import io.loam.store.commit.CommitOutcome.Committed;
import io.loam.store.history.DeadLetters;
import io.loam.store.history.History;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.ExpectedRow;
import io.loam.store.verify.Verifier;
import io.loam.store.verify.VerifyReport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Commits of changes that have no offsets. */
class DirectCommitTest {
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

    private LinkApplyCommitter committer() throws IOException {
        return new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"), ms -> {});
    }

    private CollectionManifest live() throws IOException {
        return collection.open().live().manifest();
    }

    private void upsert(long key, String json) {
        collection.upsert(key, json);
        model.put(PrimaryKey.ofU64(key), ExpectedRow.of(TestCollection.document(key, json)));
    }

    private void delete(long key) {
        collection.delete(key);
        model.remove(PrimaryKey.ofU64(key));
    }

    private VerifyReport verified() throws IOException {
        VerifyReport report = Verifier.againstModel(collection.open(), model);
        assertThat(report.violations()).isEmpty();
        assertThat(report.skipped()).isEmpty();
        return report;
    }

    @Test
    void publishesRowsWithoutOffsets() throws IOException {
        TestWriter writer = collection.directWriter();
        upsert(1, "{\"n\":1}");
        upsert(2, "{\"n\":2}");
        upsert(3, "{\"n\":3}");
        assertThat(committer().commit(writer.checkpoint(2), false)).isEqualTo(new Committed(1));
        upsert(2, "{\"n\":20}");
        delete(3);
        assertThat(committer().commit(writer.checkpoint(1), false)).isEqualTo(new Committed(2));

        assertThat(live().applied()).isEmpty();
        assertThat(live().properties()).containsEntry(ManifestProperties.MODE, "direct");
        assertThat(CommitMode.of(live())).contains(CommitMode.DIRECT);
        assertThat(verified().keys()).isEqualTo(2);
        assertThat(History.of(collection.open()).rows().get(0).description())
                .isEqualTo("apply 2 changes");
    }

    @Test
    void deadLettersHaveIdsThatNoLaterRowGets() throws IOException {
        TestWriter writer = collection.directWriter();
        collection.upsert(7, "{\"n\":\"text\"}");
        collection.log.add(0, new byte[] {9}, null);
        assertThat(committer().commit(writer.checkpoint(1), false)).isEqualTo(new Committed(1));
        CollectionManifest letters = live();
        assertThat(letters.lanceVersion()).isZero();
        assertThat(letters.deadLettersTotal()).isEqualTo(2);
        long highest =
                DeadLetters.read(collection.open()).stream()
                        .mapToLong(entry -> entry.letter().offset())
                        .max()
                        .getAsLong();
        assertThat(letters.rowIdHighWater()).isEqualTo(highest + 1);
        upsert(8, "{\"n\":8}");
        committer().commit(writer.checkpoint(1), false);
        verified();
    }

    @Test
    void theSameCommittableIsRecognisedAndAnOlderOneRefused() throws IOException {
        TestWriter writer = collection.directWriter();
        upsert(1, "{\"n\":1}");
        CollectionCommittable first = writer.checkpoint(1);
        committer().commit(first, false);
        upsert(2, "{\"n\":2}");
        committer().commit(writer.checkpoint(1), false);
        assertThat(committer().commit(first, true)).isEqualTo(new AlreadyCommitted(1));

        TestWriter rival = collection.directWriter();
        CollectionCommittable late = rival.checkpoint(1);
        upsert(3, "{\"n\":3}");
        committer().commit(writer.checkpoint(1), false);
        // In stream mode its offsets would tell that it is not needed; here nothing does.
        assertThatThrownBy(() -> committer().commit(late, true))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("changes of a changelog without offsets")
                .hasMessageContaining("goes on with what its source still delivers");
        verified();
    }

    @Test
    void theModeIsFixedByTheFirstCommit() throws IOException {
        TestWriter writer = collection.directWriter();
        upsert(1, "{\"n\":1}");
        committer().commit(writer.checkpoint(1), false);
        upsert(2, "{\"n\":2}");
        CollectionCommittable stream = collection.writer().checkpoint(1);
        assertThatThrownBy(() -> committer().commit(stream, false))
                .isInstanceOf(CommitRefusedException.class)
                .hasMessageContaining("fixed DIRECT mode");
        assertThat(CommitMode.STREAM.contradiction("default.docs", live()))
                .hasValue(
                        "collection default.docs was first written in DIRECT mode and takes no"
                                + " writer in STREAM mode; set loam.sink.mode=DIRECT, or write"
                                + " another collection");
        assertThat(CommitMode.DIRECT.contradiction("default.docs", live())).isEmpty();
    }

    @Test
    void wrongPlacesAreFound() throws IOException {
        TestWriter writer = collection.directWriter();
        upsert(1, "{\"n\":1}");
        collection.upsert(7, "{\"n\":\"text\"}");
        committer().commit(writer.checkpoint(1), false);
        verified();
        String path = live().deadLetters();
        forgetChecksums();
        DeadLetter letter = DeadLetterCodec.decode(collection.memory.get(path), path).get(0);
        List<String> found = new ArrayList<>();
        for (DeadLetter wrong :
                List.of(
                        new DeadLetter(
                                letter.partition() + 1, letter.offset(), letter.key(), null, "x"),
                        new DeadLetter(letter.partition(), 10, letter.key(), null, "x"),
                        new DeadLetter(letter.partition(), 1L << 40, letter.key(), null, "x"))) {
            collection.memory.corrupt(path, DeadLetterCodec.encode(List.of(wrong)));
            found.addAll(Verifier.againstModel(collection.open(), model).violations());
        }
        assertThat(found)
                .anyMatch(line -> line.contains(", its key's is " + letter.partition()))
                .anyMatch(line -> line.contains("dead letter 10: its id is taken by a row"))
                .anyMatch(line -> line.contains("not below the high water"));
    }

    /** So that letters can be wrong in another way than by their checksum. */
    private void forgetChecksums() throws IOException {
        CollectionManifest live = live();
        Map<String, String> properties = new HashMap<>(live.properties());
        properties.remove(ManifestProperties.DEAD_LETTERS);
        collection.memory.corrupt(
                collection.open().live().path(),
                ManifestCodec.encode(
                        new CollectionManifest(
                                live.version(),
                                live.parentVersion(),
                                live.collectionId(),
                                live.schemaVersion(),
                                live.createdAtMs(),
                                live.lanceVersion(),
                                live.splits(),
                                live.vectorIndexes(),
                                live.hotArtifacts(),
                                live.applied(),
                                live.liveDocCount(),
                                live.parentManifest(),
                                live.kind(),
                                live.pkDelta(),
                                live.deadLetters(),
                                live.deadLettersTotal(),
                                live.skippedOffsetsTotal(),
                                live.scalarIndexes(),
                                live.operation(),
                                live.operationPath(),
                                properties,
                                live.rowIdHighWater())));
    }
}
