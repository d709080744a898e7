package io.loam.store.gc;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CollectionPaths;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.gc.GcPlan.Verdict;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.RetiredPath;
import io.loam.store.object.ObjectInfo;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.TestCollection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WarehouseCollectorTest {
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long SKEW = GcOptions.DEFAULT_MAX_CLOCK_SKEW_MS;

    @TempDir Path dir;
    private long clockMs = 1_700_000_000_000L;
    private TestCollection collection;
    private Metastore metastore;

    @BeforeEach
    void create() throws IOException {
        collection = TestCollection.inMemory(dir, 1, () -> clockMs);
        metastore = collection.warehouse().metastore();
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private CollectionInfo another(String name) throws IOException {
        return metastore.createCollection("default", name, TestCollection.schema(), 1, null);
    }

    private static CollectionPaths paths(CollectionInfo info) {
        return new CollectionPaths(info.namespaceId(), info.id());
    }

    /** An object that nothing names, as old as this. */
    private String garbage(CollectionInfo info, long ageMs) throws IOException {
        String path = paths(info).split(Ulid.of(clockMs - ageMs, 0, clockMs + ageMs));
        collection.memory.put(path, new byte[10]);
        return path;
    }

    private List<String> objects(String prefix) {
        return collection.memory.list(prefix).stream().map(ObjectInfo::path).toList();
    }

    private GcReport sweep() throws IOException {
        return sweep(GcOptions.DEFAULT);
    }

    private GcReport sweep(GcOptions options) throws IOException {
        try (GcLease lease = GcLease.acquire(metastore, "gc", HOUR)) {
            return new WarehouseCollector(collection.warehouse(), options).sweep(lease);
        }
    }

    private GcReport plan() throws IOException {
        return new WarehouseCollector(collection.warehouse(), GcOptions.DEFAULT).plan();
    }

    @Test
    void everyCollectionIsCollected() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(collection.writer().checkpoint(1), false);
        }
        metastore.createNamespace("other");
        CollectionInfo second =
                metastore.createCollection("other", "b", TestCollection.schema(), 1, null);
        String old = garbage(second, 2 * HOUR);
        String older = garbage(collection.open().info(), 3 * HOUR);
        String young = garbage(second, HOUR + SKEW - 1);

        GcReport planned = plan();
        assertThat(objects("")).contains(old, older, young);
        GcReport report = sweep();

        assertThat(planned.left()).isEqualTo(report.deleted()).isEqualTo(3);
        assertThat(report.roots())
                .extracting(GcReport.Root::name)
                .containsExactly("default.docs", "other.b");
        assertThat(report.complete()).isTrue();
        assertThat(objects("")).contains(young).doesNotContain(old, older);
        assertThat(collection.verify().violations()).isEmpty();
    }

    @Test
    void aNamespaceMayBeDroppedMeanwhile() throws IOException {
        metastore.createNamespace("other");
        CollectionInfo second =
                metastore.createCollection("other", "b", TestCollection.schema(), 1, null);
        String old = garbage(second, 2 * HOUR);
        collection.faults.onceRun(
                "collections other",
                () -> {
                    try {
                        metastore.dropNamespace("other", true);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        assertThat(sweep().complete()).isTrue();
        assertThat(objects("")).as("dropped just now").contains(old);
        clockMs += HOUR + SKEW;
        assertThat(sweep().complete()).isTrue();
        assertThat(objects("")).doesNotContain(old);
    }

    @Test
    void aDroppedCollectionGoesAfterTheGraceAndIsForgotten() throws IOException {
        CollectionInfo dropped = another("gone");
        CollectionInfo neighbour = null;
        for (int i = 0; i < 20; i++) { // ns/1/collections/2/ and ns/1/collections/20/
            neighbour = another("n" + i);
        }
        String kept = garbage(neighbour, -HOUR);
        String strange = paths(dropped).root() + "notes.txt";
        collection.memory.put(strange, new byte[3]);
        garbage(dropped, 5);
        garbage(dropped, 100 * HOUR);
        String index = paths(dropped).keyIndexDatabase() + "/x";
        collection.memory.put(index, new byte[3]);
        metastore.dropCollection(dropped.id());

        clockMs += HOUR + SKEW - 1;
        assertThat(sweep().deleted()).isZero();
        assertThat(objects(paths(dropped).root())).hasSize(3);
        clockMs += 1;
        GcReport planned = plan();
        GcReport report = sweep();

        assertThat(planned.roots().get(0).name()).isEqualTo(paths(dropped).root());
        assertThat(planned.roots().get(0).result().plan().deletes())
                .hasSize(3)
                .extracting(Verdict::fate)
                .containsOnly(Fate.DROPPED);
        assertThat(report.deleted()).isEqualTo(4);
        assertThat(objects(paths(dropped).root())).isEmpty();
        assertThat(objects("")).contains(kept).doesNotContain(index);
        assertThat(metastore.retiredPaths()).as("not seen empty yet").hasSize(2);
        plan();
        assertThat(metastore.retiredPaths()).as("a dry run forgets nothing").hasSize(2);
        sweep();
        assertThat(metastore.retiredPaths()).isEmpty();
    }

    /** Made out of sight by a statement that was killed. */
    @Test
    void aCollectionThatNeverGotANameGoes() throws IOException {
        CollectionInfo named = another("named");
        CollectionInfo left = metastore.stageCollection("default", TestCollection.schema(), 1);
        String object = garbage(left, 0);

        clockMs += GcOptions.DEFAULT.stagingRetentionMs() + SKEW;
        CollectionInfo young = metastore.stageCollection("default", TestCollection.schema(), 1);
        assertThat(sweep().complete()).isTrue();
        assertThat(metastore.stagedCollections("default")).contains(left, young);
        clockMs += 1;
        assertThat(plan().complete()).isTrue();
        assertThat(metastore.stagedCollections("default")).as("a dry run").contains(left);
        assertThat(sweep().complete()).isTrue();

        assertThat(metastore.stagedCollections("default")).containsExactly(young);
        assertThat(metastore.collection(named.id())).isEqualTo(named);
        clockMs += GcOptions.DEFAULT.graceMs() + SKEW;
        sweep();
        assertThat(objects("")).doesNotContain(object);
    }

    /** A writer that had not heard of the drop. */
    @Test
    void whatComesLateBelowADroppedPathGoesToo() throws IOException {
        CollectionInfo dropped = another("gone");
        garbage(dropped, 5);
        metastore.dropCollection(dropped.id());
        clockMs += 2 * HOUR;
        sweep();
        garbage(dropped, 0);
        sweep();
        assertThat(objects(paths(dropped).root())).isEmpty();
        sweep();
        assertThat(metastore.retiredPaths()).isEmpty();
    }

    @Test
    void aPassDeletesNoMoreThanItMayOfEachRoot() throws IOException {
        CollectionInfo dropped = another("gone");
        CollectionInfo second = another("b");
        for (int i = 0; i < 5; i++) {
            garbage(dropped, i);
            garbage(second, 2 * HOUR + i);
        }
        metastore.dropCollection(dropped.id());
        clockMs += 2 * HOUR;

        GcReport report = sweep(GcOptions.DEFAULT.withMaxDeletes(3));

        assertThat(report.deleted()).isEqualTo(6);
        assertThat(report.left()).isEqualTo(4);
        assertThat(objects(paths(dropped).root())).hasSize(2);
        assertThat(sweep(GcOptions.DEFAULT.withMaxDeletes(3)).left()).isZero();
    }

    @Test
    void aDamagedCollectionStopsNoOther() throws IOException {
        collection.upsert(1, "{\"n\":1}");
        try (LinkApplyCommitter committer =
                new LinkApplyCommitter(collection.open(), CommitterOptions.of("a"))) {
            committer.commit(collection.writer().checkpoint(1), false);
        }
        CollectionInfo unreadable = another("b");
        CollectionInfo third = another("c");
        String kept = garbage(collection.open().info(), 2 * HOUR);
        garbage(unreadable, 2 * HOUR);
        String old = garbage(third, 2 * HOUR);
        String live = collection.open().live().path();
        byte[] bytes = collection.memory.get(live);
        collection.memory.corrupt(live, new byte[bytes.length]);
        collection.faults.once("list " + paths(unreadable).root(), Fault.BEFORE);

        GcReport report = sweep();

        assertThat(report.complete()).isFalse();
        assertThat(report.roots())
                .extracting(GcReport.Root::name)
                .containsExactly("default.b", "default.c", "default.docs");
        assertThat(report.roots().get(0).failure()).contains("injected");
        assertThat(report.roots().get(2).result().plan().damage()).contains(live);
        assertThat(objects("")).contains(kept).doesNotContain(old);
    }

    @Test
    void aCollectionDroppedMeanwhileIsLeftToTheNextPass() throws IOException {
        CollectionInfo second = another("b");
        String old = garbage(second, 2 * HOUR);
        collection.faults.onceRun(
                "list " + paths(second).root(),
                () -> {
                    try {
                        metastore.dropCollection(second.id());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        GcReport report = sweep();
        assertThat(report.complete()).isTrue();
        assertThat(objects("")).contains(old);
        clockMs += 2 * HOUR;
        sweep();
        assertThat(objects("")).doesNotContain(old);
    }

    @Test
    void stopsAtOnceWhenTheLeaseIsLost() throws IOException {
        String old = garbage(collection.open().info(), 2 * HOUR);
        CollectionInfo second = another("b");
        String other = garbage(second, 2 * HOUR);
        try (GcLease lost = GcLease.acquire(metastore, "first", 1000)) {
            clockMs += 2000;
            assertThatThrownBy(
                            () ->
                                    new WarehouseCollector(
                                                    collection.warehouse(), GcOptions.DEFAULT)
                                            .sweep(lost))
                    .isInstanceOfSatisfying(
                            MetastoreException.class,
                            e ->
                                    assertThat(e.code())
                                            .isEqualTo(MetastoreException.Code.LEASE_LOST));
        }
        assertThat(objects("")).contains(old, other);
    }

    @Test
    void keyIndexesWithoutACollectionGo() throws IOException {
        CollectionInfo live = collection.open().info();
        String owned = paths(live).keyIndexDatabase() + "/a";
        String orphan = new CollectionPaths(1, 77).keyIndexDatabase() + "/a";
        String strange = "ns/1/pk/notes";
        for (String path : List.of(owned, orphan, strange)) {
            collection.memory.put(path, new byte[4]);
        }
        sweep();
        assertThat(objects("ns/1/pk/")).containsExactlyInAnyOrder(owned, orphan, strange);
        clockMs += HOUR + SKEW;

        GcReport report = sweep();

        assertThat(objects("ns/1/pk/")).containsExactlyInAnyOrder(owned, strange);
        assertThat(report.roots())
                .extracting(GcReport.Root::name)
                .contains("key indexes of namespace 1");
    }

    @Test
    void aRetiredPathNeverMeetsACollection() {
        DroppedRoots dropped = new DroppedRoots(collection.memory, GcOptions.DEFAULT);
        for (String path : List.of("ns/1/", "ns/1/collections/1/", "ns/1/collections/1/text/")) {
            assertThatThrownBy(
                            () ->
                                    dropped.retired(
                                            new RetiredPath(path, 0),
                                            List.of(collection.open().info()),
                                            clockMs))
                    .as(path)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is not dropped");
        }
    }

    @Test
    void oneCollectionAlone() throws IOException {
        CollectionInfo second = another("b");
        String old = garbage(collection.open().info(), 2 * HOUR);
        String other = garbage(second, 2 * HOUR);
        WarehouseCollector collector =
                new WarehouseCollector(collection.warehouse(), GcOptions.DEFAULT);

        assertThat(collector.plan(second).left()).isEqualTo(1);
        try (GcLease lease = GcLease.acquire(metastore, "gc", HOUR)) {
            assertThat(collector.sweep(second, lease).deleted()).isEqualTo(1);
        }
        assertThat(objects("")).contains(old).doesNotContain(other);
    }
}
