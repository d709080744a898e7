package io.loam.store.read;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Vector search over live rows, with and without a filter by text. */
class NearestRowsTest {
    private static final SearchQuery FISH = new SearchQuery.Match("t", null, "fish", false);
    private static final float[] ORIGIN = {0, 0};

    @TempDir Path dir;
    private TestCollection collection;

    @BeforeEach
    void create() throws IOException {
        CollectionSchema.Vector vector =
                new CollectionSchema.Vector(
                        "v",
                        2,
                        Distance.EUCLID,
                        CollectionSchema.Element.F32,
                        new CollectionSchema.VectorIndex.None(),
                        CollectionSchema.Hnsw.DEFAULT,
                        null);
        collection =
                new TestCollection(dir, 1, TestCollection.schema(1, List.of("n"), List.of(vector)));
        TestWriter writer = collection.writer();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            upsert(1, "fish", 1);
            upsert(2, "bird", 2);
            upsert(3, "fish", 3);
            committer.commit(writer.checkpoint(1), false);
            upsert(1, "fish", 4);
            upsert(4, "fish", 0);
            collection.delete(4);
            committer.commit(writer.checkpoint(1), false);
        }
    }

    private void upsert(long key, String text, float x) {
        Document plain = TestCollection.document(key, "{\"t\":\"" + text + "\"}");
        collection.log.add(
                new Operation.Upsert(
                        new Document(
                                plain.key(),
                                plain.source(),
                                Map.of("v", new float[] {x, 0}),
                                Map.of())));
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    @Test
    void nearestFirstOfLiveRowsOnly() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            List<ScoredRow> found = reader.nearest("v", ORIGIN, 10, null, Projection.KEYS);
            assertThat(found).extracting(hit -> hit.row().key().u64()).containsExactly(2L, 3L, 1L);
            assertThat(found).extracting(ScoredRow::distance).containsExactly(4f, 9f, 16f);
            assertThat(reader.nearest("v", ORIGIN, 1, null, Projection.KEYS)).hasSize(1);
        }
    }

    @Test
    void aFilterLeavesMatchingDocumentsOnly() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            assertThat(reader.nearest("v", ORIGIN, 10, FISH, Projection.KEYS))
                    .extracting(hit -> hit.row().key())
                    .containsExactly(PrimaryKey.ofU64(3), PrimaryKey.ofU64(1));
            SearchQuery none = new SearchQuery.Match("t", null, "whale", false);
            collection.faults.forgetOperations();
            assertThat(reader.nearest("v", ORIGIN, 10, none, Projection.KEYS)).isEmpty();
            assertThat(collection.faults.operations())
                    .as("without a match no row is read")
                    .noneMatch(operation -> operation.contains("/lance/"));
        }
    }

    @Test
    void anEmptyCollectionHasNoNearestRow() throws IOException {
        Path other = dir.resolve("empty");
        assertThat(other.toFile().mkdir()).isTrue();
        try (TestCollection empty = new TestCollection(other, 1);
                CollectionReader reader = CollectionReader.open(empty.open())) {
            assertThat(reader.nearest("v", ORIGIN, 1, null, Projection.KEYS)).isEmpty();
            assertThatThrownBy(() -> reader.nearest("v", ORIGIN, 0, null, Projection.KEYS))
                    .hasMessage("k must be at least 1, not 0");
        }
    }
}
