package io.loam.store.read;

import io.loam.codec.CorruptException;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.query.SearchQuery;
import io.loam.store.spi.DeletedDocuments;
import io.loam.store.spi.Projection;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CollectionReaderTest {
    private static final SearchQuery FISH = new SearchQuery.Match("t", null, "fish", false);

    @TempDir Path dir;
    private TestCollection collection;

    @BeforeEach
    void create() throws IOException {
        collection = new TestCollection(dir, 1);
        TestWriter writer = collection.writer();
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            collection.upsert(1, "{\"t\":\"fish\"}");
            collection.upsert(2, "{\"t\":\"fish fish\"}");
            collection.upsert(3, "{\"t\":\"bird\"}");
            committer.commit(writer.checkpoint(1), false);
            collection.upsert(4, "{\"t\":\"fish\"}");
            collection.upsert(3, "{\"t\":\"fish fish\"}");
            collection.delete(1);
            committer.commit(writer.checkpoint(1), false);
        }
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    @Test
    void findsTheRowOfAKey() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            assertThat(reader.get(PrimaryKey.ofU64(3), Projection.SOURCES))
                    .hasValueSatisfying(
                            row ->
                                    assertThat(new String(row.source(), StandardCharsets.UTF_8))
                                            .isEqualTo("{\"t\":\"fish fish\"}"));
            assertThat(reader.get(PrimaryKey.ofU64(1), Projection.KEYS)).isEmpty();
            assertThat(reader.get(PrimaryKey.ofU64(9), Projection.KEYS)).isEmpty();
            assertThat(reader.count()).isEqualTo(3);
        }
    }

    @Test
    void mergesSplitsByScoreAndThenByKey() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open())) {
            List<SearchResult> hits = reader.search(FISH, 10, Projection.SOURCES);
            assertThat(hits).extracting(hit -> hit.row().key().u64()).containsExactly(2L, 3L, 4L);
            assertThat(hits).extracting(SearchResult::score).containsExactly(2f, 2f, 1f);
            assertThat(hits.get(0).split()).isNotEqualTo(hits.get(1).split());
            assertThat(reader.search(FISH, 1, Projection.KEYS))
                    .extracting(hit -> hit.row().key().u64())
                    .containsExactly(2L);
            assertThat(reader.count(FISH)).isEqualTo(3);
            assertThat(reader.rowsMatching(FISH)).hasSize(3);
        }
    }

    @Test
    void readsAnEarlierVersion() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.open(), 1)) {
            assertThat(reader.count(FISH)).isEqualTo(2);
            assertThat(reader.get(PrimaryKey.ofU64(1), Projection.KEYS)).isPresent();
        }
        assertThatThrownBy(() -> CollectionReader.open(collection.open(), 9))
                .isInstanceOf(SnapshotExpiredException.class);
    }

    @Test
    void bitmapOfAnotherCountIsCorrupt() throws IOException {
        CollectionHandle handle = collection.open();
        SplitRef split = handle.live().manifest().splits().get(0);
        SplitRef wrong = split.withDeletes(split.deletedCount() + 1, split.deleteBitmap());
        assertThatThrownBy(() -> DeletedDocs.load(handle.objects(), wrong))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("2 deleted documents, expected 3");
    }

    @Test
    void coldTextSearchReadsPointerThenManifestThenBitmapsAndSplits() throws IOException {
        collection.faults.forgetOperations();
        try (CollectionHandle handle = collection.open();
                CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
            assertThat(reader.count(FISH)).isEqualTo(3);
        }
        List<String> operations = collection.faults.operations();
        assertThat(operations.get(0)).startsWith("head ");
        assertThat(operations.get(1)).startsWith("get ").contains("/manifests/");
        assertThat(operations.subList(2, operations.size()))
                .allMatch(op -> op.contains("/text/splits/") || op.contains("/text/deletes/"));
    }

    @Test
    void aSearchForKeysReadsSplitsAndNoRows() throws IOException {
        collection.faults.forgetOperations();
        try (CollectionHandle handle = collection.open();
                CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
            assertThat(reader.search(FISH, 2, Projection.KEYS))
                    .extracting(hit -> hit.row().key().u64())
                    .containsExactly(2L, 3L);
            assertThat(collection.faults.operations()).noneMatch(op -> op.contains("/lance/"));
            assertThat(reader.search(FISH, 2, Projection.SOURCES))
                    .extracting(hit -> hit.row().key().u64())
                    .containsExactly(2L, 3L);
            assertThat(collection.faults.operations()).anyMatch(op -> op.contains("/lance/"));
        }
    }

    @Test
    void aSearchForDocumentsOpensRowsWhileSplitsAreOnTheirWay() throws IOException {
        CountDownLatch rowsRead = new CountDownLatch(1);
        List<Boolean> waited = new CopyOnWriteArrayList<>();
        collection.faults.onceRun("/lance/", rowsRead::countDown);
        collection.faults.onceRun(
                "/text/splits/",
                () -> {
                    try {
                        waited.add(rowsRead.await(1, TimeUnit.MINUTES));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        try (CollectionHandle handle = collection.open();
                CollectionReader reader = CollectionReader.openAsOfHandle(handle)) {
            assertThat(reader.search(FISH, 10, Projection.SOURCES)).hasSize(3);
            assertThat(waited)
                    .as("the rows were asked for before a split was there")
                    .containsExactly(true);
        }
    }

    @Test
    void aClosedReaderOpensNoRows() throws IOException {
        CollectionReader reader = CollectionReader.open(collection.open());
        reader.close();
        assertThatThrownBy(reader::rows).hasMessage("the version is closed");
    }

    @Test
    void aSplitAndItsDeleteBitmapTravelAtOnce() throws IOException {
        CollectionHandle handle = collection.open();
        SplitRef split = handle.live().manifest().splits().get(0);
        assertThat(split.deletedCount()).isPositive();
        CountDownLatch splitRead = new CountDownLatch(1);
        DeletedDocuments waiting =
                () -> {
                    // The split's object must have been read before anybody waits for the bitmap.
                    splitRead.countDown();
                    return DeletedDocs.load(handle.objects(), split);
                };
        collection.faults.forgetOperations();
        handle.splits().openBeside(split, handle.schema(), waiting).close();
        assertThat(splitRead.getCount()).isZero();
        List<String> operations = collection.faults.operations();
        assertThat(operations).hasSize(2);
        assertThat(operations.get(0)).contains("/text/splits/");
        assertThat(operations.get(1)).contains("/text/deletes/");
    }
}
