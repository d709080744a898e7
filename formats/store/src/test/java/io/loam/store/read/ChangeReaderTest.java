package io.loam.store.read;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.CollectionHandle;
import io.loam.store.LiveManifest;
import io.loam.store.chain.ManifestChain;
import io.loam.store.chain.ManifestFollower;
import io.loam.store.chain.SnapshotExpiredException;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.read.ChangeReader.Change;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;
import io.loam.store.testing.MaintenanceCommit;
import io.loam.store.testing.TestCollection;
import io.loam.store.testing.TestWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Versions followed one by one, and what changed between them. */
class ChangeReaderTest {
    @TempDir Path dir;
    private TestCollection collection;
    private CollectionHandle handle;
    private TestWriter writer;

    @BeforeEach
    void fill() throws Exception {
        collection = new TestCollection(dir, 2);
        handle = collection.open();
        writer = collection.writer();
    }

    @AfterEach
    void close() throws IOException {
        handle.close();
        collection.close();
    }

    private void commit() throws Exception {
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(writer.checkpoint(1), false);
        }
    }

    private CollectionManifest version(long number) throws IOException {
        return number == 0
                ? CollectionManifest.empty(handle.info().id())
                : ManifestChain.of(handle).open(number);
    }

    private List<String> changes(long from, long to, int part, int parts) throws IOException {
        List<String> changes = new ArrayList<>();
        try (ChangeReader reader =
                ChangeReader.open(
                        handle, version(from), version(to), Projection.SOURCES, part, parts)) {
            for (Change change = reader.next(); change != null; change = reader.next()) {
                changes.add(text(change.before()) + " -> " + text(change.after()));
            }
        }
        return changes;
    }

    private static String text(StoredRow row) {
        return row == null
                ? "none"
                : row.key().u64() + new String(row.source(), StandardCharsets.UTF_8);
    }

    private void fillTwoVersions() throws Exception {
        for (int key = 0; key < 5; key++) {
            collection.upsert(key, "{\"n\":" + key + "}");
        }
        commit();
        collection.upsert(1, "{\"n\":10}");
        collection.upsert(7, "{\"n\":70}");
        collection.delete(3);
        commit();
    }

    @Test
    void eachKeyThatChangedComesOnce() throws Exception {
        fillTwoVersions();
        assertThat(changes(0, 1, 0, 1))
                .containsExactlyInAnyOrder(
                        "none -> 0{\"n\":0}",
                        "none -> 1{\"n\":1}",
                        "none -> 2{\"n\":2}",
                        "none -> 3{\"n\":3}",
                        "none -> 4{\"n\":4}");
        List<String> second = changes(1, 2, 0, 1);
        assertThat(second)
                .containsExactlyInAnyOrder(
                        "1{\"n\":1} -> 1{\"n\":10}", "none -> 7{\"n\":70}", "3{\"n\":3} -> none");
        assertThat(changes(1, 2, 0, 1)).isEqualTo(second);
        assertThat(changes(0, 2, 0, 1))
                .containsExactlyInAnyOrder(
                        "none -> 0{\"n\":0}",
                        "none -> 1{\"n\":10}",
                        "none -> 2{\"n\":2}",
                        "none -> 4{\"n\":4}",
                        "none -> 7{\"n\":70}");
        assertThat(changes(2, 2, 0, 1)).isEmpty();
    }

    @Test
    void sharesAreAllOfIt() throws Exception {
        fillTwoVersions();
        List<String> shared = new ArrayList<>();
        for (int part = 0; part < 3; part++) {
            shared.addAll(changes(1, 2, part, 3));
        }
        assertThat(shared).containsExactlyInAnyOrderElementsOf(changes(1, 2, 0, 1));
    }

    @Test
    void aSplitThatLeavesWithItsLastDocumentIsSeen() throws Exception {
        fillTwoVersions();
        collection.delete(7);
        collection.upsert(1, "{\"n\":11}");
        commit();
        assertThat(changes(2, 3, 0, 1))
                .containsExactlyInAnyOrder("1{\"n\":10} -> 1{\"n\":11}", "7{\"n\":70} -> none");
    }

    @Test
    void maintenanceChangesNothing() throws Exception {
        fillTwoVersions();
        LiveManifest live = handle.live();
        List<Long> ids = new ArrayList<>();
        try (CollectionReader reader = CollectionReader.open(handle)) {
            for (long key : new long[] {0, 1, 2, 4, 7}) {
                ids.add(reader.get(PrimaryKey.ofU64(key), Projection.KEYS).orElseThrow().rowId());
            }
        }
        long[] rows = ids.stream().mapToLong(Long::longValue).sorted().toArray();
        SplitRef like = live.manifest().splits().get(0);
        SplitRef merged =
                new SplitRef(
                        handle.ulids().next(),
                        rows.length,
                        0,
                        like.sizeBytes(),
                        like.footerStart(),
                        like.footerEnd(),
                        RowIdRuns.of(rows),
                        "",
                        like.schemaVersion(),
                        like.createdAtMs(),
                        1,
                        0);
        MaintenanceCommit.publish(
                handle,
                MaintenanceCommit.child(live, List.of(merged), handle.metastore().clockMs()));
        assertThat(changes(2, 3, 0, 1)).isEmpty();
        assertThat(changes(1, 3, 0, 1)).containsExactlyInAnyOrderElementsOf(changes(1, 2, 0, 1));
    }

    @Test
    void noVersionIsLeftOut() throws Exception {
        ManifestFollower first = ManifestFollower.at(handle, 0);
        assertThat(first.next()).isNull();
        fillTwoVersions();
        assertThat(first.next().version()).isEqualTo(1);
        assertThat(first.current().version()).isEqualTo(1);
        collection.delete(4);
        commit();
        ManifestFollower second = ManifestFollower.at(handle, 2);
        assertThat(second.next().version()).isEqualTo(3);
        assertThat(second.next()).isNull();
        assertThat(first.next().version()).isEqualTo(2);
        assertThat(first.next().version()).isEqualTo(3);
        assertThat(first.next()).isNull();
        assertThatThrownBy(() -> ManifestFollower.at(handle, 4))
                .isInstanceOf(SnapshotExpiredException.class)
                .hasMessageContaining("versions 1 to 3 are retained");
    }

    @Test
    void aVersionThatIsGoneIsSaid() throws Exception {
        ManifestFollower start = ManifestFollower.at(handle, 0);
        fillTwoVersions();
        ManifestFollower known = ManifestFollower.at(handle, 1);
        collection.delete(4);
        commit();
        ManifestFollower ahead = ManifestFollower.at(handle, 1);
        ahead.next();
        String second = version(3).parentManifest();
        handle.objects().delete(second);
        assertThat(ahead.next().version()).isEqualTo(3);
        for (ManifestFollower behind : List.of(start, known)) {
            long at = behind.current().version();
            assertThatThrownBy(behind::next)
                    .isInstanceOf(SnapshotExpiredException.class)
                    .hasMessageContaining("what follows version " + at)
                    .hasMessageContaining("versions 3 to 3 are retained");
            assertThat(behind.current().version()).isEqualTo(at);
        }
    }
}
