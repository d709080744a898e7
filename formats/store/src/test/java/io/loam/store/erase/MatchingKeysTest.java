package io.loam.store.erase;

import io.loam.codec.Ulid;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.maintain.CollectionTaskRunner;
import io.loam.store.maintain.MaintenanceCommitter;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceTask.CompactFragments;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.RoundLeases;
import io.loam.store.object.ParallelIo;
import io.loam.store.query.SearchQuery;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Documents are found by a query in whatever version they match, as long as it is there. */
class MatchingKeysTest {
    private static final SearchQuery RED = new SearchQuery.Match("t", null, "red", false);

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private TestWriter writer;
    private LinkApplyCommitter apply;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 1, () -> clockMs);
        writer = collection.writer();
        apply = new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"), ms -> {});
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void upsert(long key, String text) {
        collection.upsert(key, "{\"t\":\"" + text + " of " + key + "\"}");
    }

    private void commit() throws IOException {
        apply.commit(writer.checkpoint(1), false);
        clockMs += 1000;
    }

    private static Set<Long> numbers(Set<PrimaryKey> keys) {
        return keys.stream().map(PrimaryKey::u64).collect(Collectors.toSet());
    }

    private void requireFound(Set<Long> keys, Set<Long> changed) throws IOException {
        MatchingKeys found = MatchingKeys.of(collection.open(), RED);
        assertThat(numbers(found.keys())).isEqualTo(keys);
        assertThat(numbers(found.changed())).isEqualTo(changed);
    }

    /** 0 matches; 1 did and is blue; 2, 3 and 4 did and are gone, 4 since a version of its own. */
    private void fill() throws IOException {
        for (long key = 0; key < 4; key++) {
            upsert(key, "red");
        }
        upsert(9, "blue");
        commit();
        upsert(1, "blue");
        collection.delete(2);
        upsert(4, "red");
        commit();
        collection.delete(3);
        collection.delete(4);
        commit();
    }

    @Test
    void thoseOfAnOlderVersionAreFound() throws IOException {
        requireFound(Set.of(), Set.of());
        fill();
        requireFound(Set.of(0L, 2L, 3L, 4L), Set.of(1L));
        collection.delete(0);
        commit();
        requireFound(Set.of(0L, 2L, 3L, 4L), Set.of(1L));
    }

    @Test
    void thoseOfVersionsThatAreGoneAreNot() throws IOException {
        fill();
        new Tags(collection.open()).create("two", new TagTarget.Version(2), TagOptions.DEFAULT);
        for (int i = 0; i < 12; i++) {
            upsert(9, "blue " + i);
            commit();
        }
        requireFound(Set.of(0L, 2L, 3L, 4L), Set.of(1L));
        clockMs += Duration.ofHours(30).toMillis();
        requireFound(Set.of(0L, 3L, 4L), Set.of());
        new Tags(collection.open()).delete("two");
        requireFound(Set.of(0L), Set.of());
    }

    /** Their splits and data files are other ones now. */
    @Test
    void mergesAndCompactionsHideNothing() throws IOException {
        fill();
        maintain();
        requireFound(Set.of(0L, 2L, 3L, 4L), Set.of(1L));
        ErasedDocuments documents = documentsOf(2);
        assertThat(documents.count()).isEqualTo(1);
        assertThat(documents.sequences())
                .anyMatch(
                        found ->
                                new String(found, StandardCharsets.UTF_8)
                                        .equals("{\"t\":\"red of 2\"}"));
    }

    private ErasedDocuments documentsOf(long number) throws IOException {
        return ErasedDocuments.read(collection.open(), PrimaryKey.ofU64(number)::equals);
    }

    /** The files of a unit go with the commit that deletes its last row. */
    @Test
    void documentsOfUnitsThatAreGoneAreRead() throws IOException {
        upsert(9, "blue");
        commit();
        upsert(7, "red");
        commit();
        collection.delete(7);
        commit();
        requireFound(Set.of(7L), Set.of());
        assertThat(documentsOf(7).count()).isEqualTo(1);
    }

    @Test
    void whatIsDamagedInOlderVersionsStopsNothing() throws IOException {
        fill();
        CollectionHandle handle = collection.open();
        List<String> old =
                handle.rowVersions().read(handle.live().manifest()).fragments().stream()
                        .flatMap(fragment -> fragment.dataFiles().stream())
                        .toList();
        maintain();
        assertThat(documentsOf(9).unread()).isZero();
        for (String file : old) {
            handle.objects().delete(handle.paths().lance() + file);
        }
        ErasedDocuments documents = documentsOf(9);
        assertThat(documents.count()).isEqualTo(1);
        assertThat(documents.unread()).isPositive();
    }

    private void maintain() throws IOException {
        CollectionHandle handle = collection.open();
        MaintenanceOptions options = MaintenanceOptions.of("test");
        Path work = Files.createDirectories(dir.resolve("work"));
        CollectionTaskRunner runner = new CollectionTaskRunner(handle, options, work);
        List<Ulid> splits = handle.live().manifest().splits().stream().map(SplitRef::ulid).toList();
        List<Long> fragments =
                handle.rowVersions().read(handle.live().manifest()).compactable().stream()
                        .map(each -> each.fragment().id())
                        .toList();
        try (RoundLeases leases = RoundLeases.acquire(handle, options);
                MaintenanceCommitter committer =
                        new MaintenanceCommitter(
                                handle, options, leases.fence(), ParallelIo.inOrder(), ms -> {})) {
            assertThat(
                            committer
                                    .publish(
                                            List.of(
                                                    runner.run(new MergeSplits(splits)),
                                                    runner.run(new CompactFragments(fragments))))
                                    .isComplete())
                    .isTrue();
        }
        clockMs += 1000;
    }

    @Test
    void eachSplitIsSearchedOnce() throws IOException {
        fill();
        for (int i = 0; i < 5; i++) {
            upsert(20 + i, "red");
            commit();
        }
        long splits = collection.open().live().manifest().splits().size();
        CollectionHandle handle = collection.open();
        collection.faults.forgetOperations();
        MatchingKeys.of(handle, RED);
        assertThat(collection.faults.operations())
                .filteredOn(operation -> operation.toString().contains("/text/splits/"))
                .hasSizeLessThanOrEqualTo((int) (2 * splits + 1));
    }
}
