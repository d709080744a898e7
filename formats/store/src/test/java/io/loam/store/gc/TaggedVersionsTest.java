package io.loam.store.gc;

import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ObjectShape;
import io.loam.store.CollectionHandle;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.Retention;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.metastore.Tag;
import io.loam.store.metastore.TagRequest;
import io.loam.store.object.ObjectInfo;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.tag.TagOptions;
import io.loam.store.tag.TagTarget;
import io.loam.store.tag.Tags;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What garbage collection leaves of versions that have a name. */
class TaggedVersionsTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final int COMMITS = 14;

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private CollectionHandle handle;
    private Tags tags;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 2, () -> clockMs);
        handle = collection.open();
        tags = new Tags(handle);
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void commits(int count) throws IOException {
        TestWriter writer = collection.writer();
        for (int i = 0; i < count; i++) {
            collection.upsert(i % 5, "{\"n\":" + i + "}");
            collection.upsert(100 + i, "{\"n\":" + i + "}");
            try (LinkApplyCommitter committer =
                    new LinkApplyCommitter(
                            collection.open(), CommitterOptions.of("a").withTakeOver(true))) {
                committer.commit(writer.checkpoint(1), false);
            }
            clockMs += 1000;
        }
    }

    private GcResult sweep() throws IOException {
        try (GcLease lease = GcLease.acquire(handle.metastore(), "gc", HOUR);
                GarbageCollector collector =
                        new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            return collector.sweep(lease);
        }
    }

    private void sweepAll() throws IOException {
        while (sweep().deleted() > 0) {
            assertThat(collection.verify().violations()).isEmpty();
        }
    }

    private Set<String> objects() {
        return collection.memory.list("").stream()
                .map(ObjectInfo::path)
                .collect(Collectors.toSet());
    }

    private long manifests() {
        return objects().stream()
                .filter(path -> ObjectShape.of(handle.paths(), path) == ObjectShape.MANIFEST)
                .count();
    }

    private Map<String, String> documents(String tag) throws IOException {
        Map<String, String> documents = new TreeMap<>();
        try (CollectionReader reader = CollectionReader.openTag(collection.open(), tag);
                RowCursor rows = reader.rows().scan(Projection.SOURCES, 0, 1)) {
            for (var row = rows.next(); row != null; row = rows.next()) {
                documents.put(
                        row.key().toString(), new String(row.source(), StandardCharsets.UTF_8));
            }
            assertThat(documents).hasSize((int) reader.count());
        }
        return documents;
    }

    @Test
    void aTagKeepsItsVersionButNotTheOnesBefore() throws IOException {
        commits(4);
        tags.create("four", TagTarget.current(), TagOptions.DEFAULT);
        Map<String, String> then = documents("four");
        commits(COMMITS);
        clockMs += 3 * DAY;

        GcResult first = sweep();
        sweepAll();

        assertThat(first.plan().verdicts()).extracting(Verdict::fate).contains(Fate.TAGGED);
        assertThat(manifests()).isEqualTo(11 + 1);
        assertThat(documents("four")).isEqualTo(then).hasSize(8);
        commits(1);
        sweepAll();
        assertThat(documents("four")).isEqualTo(then);

        tags.delete("four");
        sweepAll();
        clockMs += 3 * DAY;
        sweepAll();
        assertThat(manifests()).isEqualTo(11);
    }

    @Test
    void twoTagsOfOneVersionKeepItUntilBothAreGone() throws IOException {
        commits(2);
        tags.create("a", TagTarget.current(), TagOptions.DEFAULT);
        tags.create("b", TagTarget.current(), TagOptions.DEFAULT);
        commits(COMMITS);
        clockMs += 3 * DAY;
        tags.delete("a");
        sweepAll();
        assertThat(documents("b")).hasSize(4);
        tags.delete("b");
        sweepAll();
        assertThat(manifests()).isEqualTo(11);
    }

    @Test
    void anExpiredTagKeepsNothing() throws IOException {
        commits(3);
        Tag tag =
                tags.create(
                        "week", TagTarget.current(), new TagOptions("", Duration.ofDays(7), false));
        commits(COMMITS);
        clockMs = tag.expiresAtMs() + GcOptions.DEFAULT_MAX_CLOCK_SKEW_MS - 1;
        sweepAll();
        assertThat(objects()).contains(tag.path());
        clockMs += 1;
        sweepAll();
        assertThat(objects()).doesNotContain(tag.path());
        assertThat(manifests()).isEqualTo(11);
    }

    /** Whoever tags has looked at the chain before the version stopped to be retained. */
    @ParameterizedTest
    @CsvSource({
        "list ns/1/collections/1/, true",
        "clockMs, true",
        "/staged/, true",
        "head 1, true",
        "get ns/1/collections/1/manifests/, true",
        "releaseVersions 1, true",
        "renewLease, false",
        "delete ns/1/collections/1/, false"
    })
    void aTagMadeDuringAPassIsKeptOrRefused(String moment, boolean inTime) throws IOException {
        commits(COMMITS + 3);
        ManifestChain.Link second = ManifestChain.of(handle).link(2);
        clockMs += 3 * DAY;
        MetastoreException[] refused = new MetastoreException[1];
        boolean[] ran = new boolean[1];
        collection.faults.onceRun(
                moment,
                () -> {
                    ran[0] = true;
                    try {
                        handle.metastore()
                                .createTag(
                                        new TagRequest(
                                                handle.info().id(),
                                                "t",
                                                2,
                                                second.path(),
                                                "",
                                                null,
                                                false));
                    } catch (MetastoreException e) {
                        refused[0] = e;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        sweep();
        assertThat(ran[0]).isTrue();
        sweepAll();

        if (inTime) {
            assertThat(refused[0]).isNull();
            assertThat(documents("t")).hasSize(4);
            assertThat(manifests()).isEqualTo(12);
        } else {
            assertThat(refused[0].code()).isEqualTo(Code.SNAPSHOT_EXPIRED);
            assertThat(tags.list()).isEmpty();
            assertThat(manifests()).isEqualTo(11);
        }
    }

    @Test
    void aDryRunForbidsNoTag() throws IOException {
        commits(COMMITS + 3);
        ManifestChain.Link second = ManifestChain.of(handle).link(2);
        clockMs += 3 * DAY;
        try (GarbageCollector collector = new GarbageCollector(handle, GcOptions.DEFAULT)) {
            assertThat(collector.plan().deletes())
                    .extracting(Verdict::path)
                    .contains(second.path());
        }
        handle.metastore()
                .createTag(
                        new TagRequest(handle.info().id(), "t", 2, second.path(), "", null, false));
        sweepAll();
        assertThat(documents("t")).hasSize(4);
    }

    @Test
    void whatATagNamesMustBeReadable() throws IOException {
        commits(2);
        Tag tag = tags.create("a", TagTarget.current(), TagOptions.DEFAULT);
        CollectionManifest tagged = tags.open("a");
        commits(COMMITS);
        clockMs += 3 * DAY;
        for (String path :
                List.of(tag.path(), handle.paths().lanceVersion(tagged.lanceVersion()))) {
            byte[] bytes = collection.memory.get(path);
            collection.memory.delete(path);
            GcResult result = sweep();
            assertThat(result.plan().damage()).contains(path);
            assertThat(result.deleted()).isZero();
            collection.memory.put(path, bytes);
        }
        sweepAll();
        assertThat(documents("a")).hasSize(4);
    }

    /** A collector that was held up for days finds what another one has left. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTagThatEndsDuringAPassIsNoDamage(boolean manifest) throws IOException {
        commits(2);
        Tag tag =
                tags.create(
                        "week", TagTarget.current(), new TagOptions("", Duration.ofDays(7), false));
        String path =
                manifest
                        ? tag.path()
                        : handle.paths().lanceVersion(tags.open("week").lanceVersion());
        commits(COMMITS);
        clockMs += 3 * DAY;
        collection.faults.onceRun(
                "get " + path,
                () -> {
                    clockMs += 7 * DAY;
                    try {
                        sweepAll();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });

        try (GarbageCollector late = new GarbageCollector(collection.open(), GcOptions.DEFAULT)) {
            assertThat(late.plan().damage()).isNull();
        }
        assertThat(objects()).doesNotContain(path);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void aTaggedVersionIsVerified() throws IOException {
        commits(2);
        Tag tag = tags.create("a", TagTarget.current(), TagOptions.DEFAULT);
        tags.create("live", TagTarget.current(), TagOptions.DEFAULT);
        CollectionManifest tagged = tags.open("a");
        commits(COMMITS);
        clockMs += 3 * DAY;
        sweepAll();
        assertThat(collection.verify().counts()).containsEntry("tags", 2L);

        for (String path : List.of(tagged.pkDelta(), tag.path())) {
            byte[] bytes = collection.memory.get(path);
            collection.memory.delete(path);
            assertThat(collection.verify().violations())
                    .as(path)
                    .isNotEmpty()
                    .allMatch(violation -> violation.contains(path));
            collection.memory.put(path, bytes);
        }
        assertThat(collection.verify().violations()).isEmpty();
        tags.delete("live");
        clockMs += DAY;
        tags.delete("a");
        assertThat(collection.verify().counts()).doesNotContainKey("tags");
    }

    @Test
    void aUnitWhoseVersionIsOnlyTaggedIsPublished() throws IOException {
        commits(1);
        tags.create("a", TagTarget.current(), TagOptions.DEFAULT);
        commits(COMMITS);
        clockMs += 3 * DAY;
        sweepAll();
        assertThat(objects())
                .noneMatch(
                        path ->
                                ObjectShape.of(handle.paths(), path)
                                        == ObjectShape.STAGED_DESCRIPTOR);
        assertThat(documents("a")).hasSize(2);
    }

    @Test
    void aShorterRetentionReleasesMore() throws IOException {
        commits(COMMITS);
        ManifestChain.Link second = ManifestChain.of(handle).link(2);
        clockMs += 2 * HOUR;
        assertThatThrownBy(() -> GcOptions.DEFAULT.withRetention(new Retention(0, HOUR - 1)))
                .hasMessageContaining("queries may still read them");
        GcOptions shorter = GcOptions.DEFAULT.withRetention(new Retention(1, HOUR));
        try (GcLease lease = GcLease.acquire(handle.metastore(), "gc", HOUR);
                GarbageCollector collector = new GarbageCollector(collection.open(), shorter)) {
            while (collector.sweep(lease).deleted() > 0) {
                assertThat(collection.verify().violations()).isEmpty();
            }
        }
        assertThat(manifests()).isEqualTo(2);
        assertThatThrownBy(
                        () ->
                                handle.metastore()
                                        .createTag(
                                                new TagRequest(
                                                        handle.info().id(),
                                                        "t",
                                                        2,
                                                        second.path(),
                                                        "",
                                                        null,
                                                        false)))
                .hasMessageContaining("below " + (COMMITS - 1));
    }
}
