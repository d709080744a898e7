package io.loam.store.metastore;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.metastore.MetastoreException.Code;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the metastore must do on every database. */
abstract class MetastoreContract {
    private static final int MIGRATIONS = 3;
    private static final String KEY = "collection/1";
    private static final String LEASE = "task/apply/1";
    private static final long AGE = 600_000;
    private static final long HOUR = 3_600_000;
    private static final long ARENA = 1L << 32;

    private Metastore store;

    /** Opens the test's own database; several opens see the same one. */
    abstract Metastore open() throws MetastoreException;

    /** A plain connection to the same database. */
    abstract Connection connect() throws SQLException;

    @BeforeEach
    void openStore() throws MetastoreException {
        store = open();
    }

    @AfterEach
    void closeStore() throws MetastoreException {
        store.close();
    }

    // Namespaces and collections

    @Test
    void startsWithTheDefaultNamespace() throws Exception {
        assertThat(store.namespaces()).containsExactly("default");
        assertThat(create("docs").namespaceId()).isEqualTo(1);
    }

    @Test
    void createsNamespaces() throws Exception {
        assertThat(store.createNamespace("b")).isEqualTo(2);
        assertThat(store.createNamespace("a")).isEqualTo(3);

        assertThat(store.namespaces()).containsExactly("a", "b", "default");
        refused(Code.NAMESPACE_EXISTS, () -> store.createNamespace("a"));
        refused(Code.NAMESPACE_EXISTS, () -> store.createNamespace("default"));
        assertThat(store.createNamespace("c")).as("a refusal uses up no id").isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "_a", "a/b", "a\0b"})
    void refusesBadNamespaces(String name) {
        refused(Code.INVALID_ARGUMENT, () -> store.createNamespace(name));
    }

    @Test
    void createsCollections() throws Exception {
        long before = store.clockMs();
        CollectionInfo info = store.createCollection("default", "docs", schema(1, 2), 3, null);

        assertThat(info.id()).isEqualTo(1);
        assertThat(info.namespace()).isEqualTo("default");
        assertThat(info.name()).isEqualTo("docs");
        assertThat(info.topic()).isEqualTo("loam.1.1");
        assertThat(info.partitions()).isEqualTo(3);
        assertThat(info.schema()).isEqualTo(schema(1, 2));
        assertThat(info.createdAtMs()).isBetween(before, store.clockMs());
        assertThat(store.collection(1)).isEqualTo(info);
        assertThat(store.findCollection("default", "docs")).contains(info);
        assertThat(store.findCollection("default", "other")).isEmpty();
        assertThat(store.findCollection("nowhere", "docs")).isEmpty();
        refused(Code.COLLECTION_NOT_FOUND, () -> store.collection(2));
    }

    @Test
    void aCollectionMayNameItsTopic() throws Exception {
        CollectionInfo info =
                store.createCollection("default", "docs", schema(1, 1), 1, "my.topic");

        assertThat(info.topic()).isEqualTo("my.topic");
        for (String bad : List.of("", "a b", "..", "ä", "x".repeat(250))) {
            refused(
                    Code.INVALID_ARGUMENT,
                    () -> store.createCollection("default", "d2", schema(1, 1), 1, bad));
        }
    }

    @Test
    void listsCollectionsOfANamespaceByName() throws Exception {
        store.createNamespace("other");
        create("b");
        create("a");
        store.createCollection("other", "a", schema(1, 1), 1, null);

        assertThat(store.collections("default"))
                .extracting(CollectionInfo::name)
                .containsExactly("a", "b");
        assertThat(store.collections("other")).extracting(CollectionInfo::id).containsExactly(3L);
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.collections("nowhere"));
    }

    @Test
    void tellsTheSameCollectionFromANameTaken() throws Exception {
        create("docs");

        refused(Code.COLLECTION_EXISTS, () -> create("docs"), "id 1");
        refused(
                Code.COLLECTION_EXISTS,
                () -> store.createCollection("default", "docs", schema(1, 1), 2, "loam.1.1"));
        refused(
                Code.NAME_TAKEN,
                () -> store.createCollection("default", "docs", schema(1, 2), 2, null));
        refused(
                Code.NAME_TAKEN,
                () -> store.createCollection("default", "docs", schema(1, 1), 3, null));
        refused(
                Code.NAME_TAKEN,
                () -> store.createCollection("default", "docs", schema(1, 1), 2, "other"));
        assertThat(create("next").id()).as("a refusal uses up no id").isEqualTo(2);
    }

    @Test
    void refusesBadCollections() throws Exception {
        refused(
                Code.NAMESPACE_NOT_FOUND,
                () -> store.createCollection("nowhere", "docs", schema(1, 1), 1, null));
        for (String name : List.of("", "_docs", "x".repeat(223), "a\0b", "a\ud800b")) {
            refused(Code.INVALID_ARGUMENT, () -> create(name));
            assertThat(store.findCollection("default", name)).isEmpty();
            assertThat(store.head("default", name)).isEmpty();
        }
        for (int partitions : new int[] {0, -1, 10_001}) {
            refused(
                    Code.INVALID_ARGUMENT,
                    () -> store.createCollection("default", "d", schema(1, 1), partitions, null));
        }
        refused(
                Code.INVALID_ARGUMENT,
                () -> store.createCollection("default", "d", schema(2, 1), 1, null));
    }

    @Test
    void evolvesSchemas() throws Exception {
        create("docs");

        assertThat(store.updateSchema(1, 1, schema(2, 3)).schema()).isEqualTo(schema(2, 3));
        assertThat(store.collection(1).schema()).isEqualTo(schema(2, 3));
        assertThat(store.updateSchema(1, 1, schema(2, 3)).schema())
                .as("the retry of what succeeded")
                .isEqualTo(schema(2, 3));
        refused(
                Code.SCHEMA_VERSION_MISMATCH,
                () -> store.updateSchema(1, 1, schema(2, 4)),
                "version 2");
        refused(Code.SCHEMA_VERSION_MISMATCH, () -> store.updateSchema(1, 3, schema(4, 4)));
        refused(Code.INCOMPATIBLE_SCHEMA, () -> store.updateSchema(1, 2, schema(3, 1)));
        refused(Code.INCOMPATIBLE_SCHEMA, () -> store.updateSchema(1, 2, schema(4, 3)));
        refused(Code.COLLECTION_NOT_FOUND, () -> store.updateSchema(9, 1, schema(2, 3)));
    }

    @Test
    void dropsACollectionWithItsPointer() throws Exception {
        create("docs");
        long before = store.clockMs();
        Lease lease = store.acquireLease(LEASE, "me", HOUR);
        store.swapPointer(swap(0, lease.epoch()));

        store.dropCollection(1);

        refused(Code.COLLECTION_NOT_FOUND, () -> store.collection(1));
        refused(Code.COLLECTION_NOT_FOUND, () -> store.dropCollection(1));
        assertThat(store.pointer(1, KEY)).isEmpty();
        refused(Code.COLLECTION_NOT_FOUND, () -> store.swapPointer(swap(1, lease.epoch())));
        assertThat(store.retiredPaths())
                .extracting(RetiredPath::path)
                .containsExactly("ns/1/collections/1/", "ns/1/pk/collection-1/");
        assertThat(store.retiredPaths().get(0).retiredAtMs()).isBetween(before, store.clockMs());
        assertThat(create("docs").id()).as("the name is free, the id is not").isEqualTo(2);
    }

    @Test
    void renamesACollectionAndNothingElse() throws Exception {
        long epoch = versions(2);
        CollectionInfo info = store.collection(1);
        store.createTag(tag("keep", 1));
        create("other");

        CollectionInfo renamed = store.renameCollection(1, "papers", null);

        assertThat(renamed).isEqualTo(named(info, "papers"));
        assertThat(store.collection(1)).isEqualTo(renamed);
        assertThat(store.findCollection("default", "papers")).contains(renamed);
        assertThat(store.findCollection("default", "docs")).isEmpty();
        assertThat(store.head(1).pointer()).isEqualTo(new Pointer(2, "m-2"));
        assertThat(store.tags(1)).extracting(Tag::name).containsExactly("keep");
        assertThat(store.swapPointer(swap(2, epoch)).version()).isEqualTo(3);
        assertThat(store.renameCollection(1, "papers", null)).isEqualTo(renamed);
        assertThat(create("docs").id()).as("the old name is free").isEqualTo(3);
        refused(
                Code.NAME_TAKEN,
                () -> store.renameCollection(1, "docs", null),
                "default.papers",
                "id 3");
        refused(Code.COLLECTION_NOT_FOUND, () -> store.renameCollection(9, "nine", null));
        for (String bad : List.of("", "_a", "a\0b", "x".repeat(223))) {
            refused(Code.INVALID_ARGUMENT, () -> store.renameCollection(1, bad, null));
        }
    }

    private static CollectionInfo named(CollectionInfo info, String name) {
        return new CollectionInfo(
                info.namespaceId(),
                info.namespace(),
                info.id(),
                name,
                info.topic(),
                info.partitions(),
                info.schema(),
                info.createdAtMs());
    }

    @Test
    void aRenameMayReplaceTheOneThatHasTheName() throws Exception {
        versions(1);
        create("next");
        create("third");

        refused(Code.NAME_TAKEN, () -> store.renameCollection(2, "docs", 3L));
        store.createTag(new TagRequest(1, "kept", 1, "m-1", "", null, true));
        refused(Code.COLLECTION_PROTECTED, () -> store.renameCollection(2, "docs", 1L));
        assertThat(store.collection(2).name()).isEqualTo("next");
        store.deleteTag(1, "kept");
        store.renameCollection(2, "docs", 1L);

        assertThat(store.findCollection("default", "docs").orElseThrow().id()).isEqualTo(2);
        assertThat(store.collections("default")).hasSize(2);
        refused(Code.COLLECTION_NOT_FOUND, () -> store.collection(1));
        assertThat(store.pointer(1, KEY)).isEmpty();
        assertThat(store.retiredPaths())
                .extracting(RetiredPath::path)
                .containsExactly("ns/1/collections/1/", "ns/1/pk/collection-1/");
        // The answer was lost, and it is asked again: nothing more is dropped.
        assertThat(store.renameCollection(2, "docs", 1L).id()).isEqualTo(2);
        assertThat(store.renameCollection(3, "free", 1L).name()).isEqualTo("free");
    }

    private CollectionInfo stage() throws MetastoreException {
        return store.stageCollection("default", create("schema").schema(), 2);
    }

    @Test
    void aStagedCollectionIsKnownByItsIdAlone() throws Exception {
        CollectionInfo staged = stage();

        assertThat(store.collection(staged.id())).isEqualTo(staged);
        assertThat(store.head(staged.id()).collection()).isEqualTo(staged);
        assertThat(staged.topic()).isEqualTo("loam.1." + staged.id());
        assertThat(store.stagedCollections("default")).containsExactly(staged);
        assertThat(store.collections("default"))
                .extracting(CollectionInfo::name)
                .containsExactly("schema");
        assertThat(store.findCollection("default", staged.name())).isEmpty();
        assertThat(store.head("default", staged.name())).isEmpty();
        refused(Code.INVALID_ARGUMENT, () -> store.stageCollection("default", staged.schema(), 0));
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.stageCollection("no", staged.schema(), 1));
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.stagedCollections("no"));
    }

    @Test
    void aStagedCollectionGetsItsNameOrIsDropped() throws Exception {
        versions(1);
        CollectionInfo staged = stage();
        long dropped = store.stageCollection("default", staged.schema(), 1).id();

        refused(Code.NAME_TAKEN, () -> store.renameCollection(staged.id(), "docs", null));
        assertThat(store.renameCollection(staged.id(), "docs", 1L))
                .isEqualTo(named(staged, "docs"));
        assertThat(store.dropStagedCollection(staged.id())).as("it has a name").isFalse();
        assertThat(store.collection(staged.id()).name()).isEqualTo("docs");
        assertThat(store.dropStagedCollection(dropped)).isTrue();
        assertThat(store.dropStagedCollection(dropped)).as("it is gone").isFalse();
        refused(Code.COLLECTION_NOT_FOUND, () -> store.renameCollection(dropped, "late", null));
        assertThat(store.stagedCollections("default")).isEmpty();
        assertThat(store.retiredPaths())
                .extracting(RetiredPath::path)
                .contains("ns/1/collections/1/", "ns/1/collections/" + dropped + "/");
    }

    @Test
    void aNamespaceOfStagedCollectionsIsEmpty() throws Exception {
        store.createNamespace("lab");
        CollectionInfo staged = store.stageCollection("lab", stage().schema(), 1);
        store.dropNamespace("lab", false);
        refused(Code.COLLECTION_NOT_FOUND, () -> store.collection(staged.id()));
    }

    /** Whoever publishes is faster than whoever gives up, or finds nothing; never half of both. */
    @Test
    void aStagedCollectionIsNamedOrDroppedNotBoth() throws Exception {
        try (Metastore second = open()) {
            for (int round = 0; round < 10; round++) {
                CollectionInfo staged =
                        round == 0
                                ? stage()
                                : store.stageCollection("default", store.collection(1).schema(), 1);
                String name = "c-" + round;
                List<String> outcomes =
                        together(
                                () -> renamed(store, staged.id(), name),
                                () -> second.dropStagedCollection(staged.id()) ? "dropped" : "no");
                boolean there = store.findCollection("default", name).isPresent();
                assertThat(outcomes)
                        .containsExactlyInAnyOrder(
                                there ? "renamed" : "COLLECTION_NOT_FOUND",
                                there ? "no" : "dropped");
            }
        }
    }

    @Test
    void oneOfTwoRacersGetsTheName() throws Exception {
        try (Metastore second = open()) {
            for (int round = 0; round < 10; round++) {
                long a = create("a-" + round).id();
                long b = create("b-" + round).id();
                String name = "c-" + round;
                List<String> outcomes =
                        together(
                                () -> renamed(store, a, name),
                                () -> renamed(second, b, name),
                                () -> created(store, name));
                long won = outcomes.stream().filter(o -> o.endsWith("ed")).count();
                assertThat(won).as("%s", outcomes).isEqualTo(1);
                assertThat(
                                outcomes.stream().filter("NAME_TAKEN"::equals).count()
                                        + outcomes.stream()
                                                .filter("COLLECTION_EXISTS"::equals)
                                                .count())
                        .isEqualTo(2);
            }
        }
    }

    private static String renamed(Metastore on, long id, String name) throws MetastoreException {
        try {
            on.renameCollection(id, name, null);
            return "renamed";
        } catch (MetastoreException e) {
            return e.code().name();
        }
    }

    @Test
    void dropsNamespaces() throws Exception {
        store.createNamespace("b");
        store.createCollection("b", "one", schema(1, 1), 1, null);
        store.createCollection("b", "two", schema(1, 1), 1, null);

        refused(
                Code.NAMESPACE_NOT_EMPTY,
                () -> store.dropNamespace("b", false),
                "namespace b has 2 collections, among them one");
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.dropNamespace("c", true));
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.dropNamespace("a\0b", true));
        refused(Code.INVALID_ARGUMENT, () -> store.dropNamespace("default", true), "always");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();
        swap(2, "collection/2", "m-1", 0, epoch, store.clockMs());
        store.createTag(new TagRequest(2, "kept", 1, "m-1", "", null, true));
        refused(Code.COLLECTION_PROTECTED, () -> store.dropNamespace("b", true), "b.two");
        assertThat(store.collections("b")).hasSize(2);

        store.deleteTag(2, "kept");
        store.dropNamespace("b", true);
        assertThat(store.namespaces()).containsExactly("default");
        refused(Code.NAMESPACE_NOT_FOUND, () -> store.collections("b"));
        refused(
                Code.NAMESPACE_NOT_FOUND,
                () -> store.createCollection("b", "one", schema(1, 1), 1, null));
        assertThat(count("SELECT COUNT(*) FROM loam_pointer")).isZero();
        assertThat(store.retiredPaths())
                .extracting(RetiredPath::path)
                .containsExactly(
                        "ns/2/collections/1/",
                        "ns/2/collections/2/",
                        "ns/2/pk/collection-1/",
                        "ns/2/pk/collection-2/");
        assertThat(store.createNamespace("b")).as("its id is not used again").isEqualTo(3);
        store.dropNamespace("b", false);
        assertThat(store.namespaces()).containsExactly("default");
    }

    @Test
    void aCollectionIsMadeOrItsNamespaceDropped() throws Exception {
        try (Metastore second = open()) {
            for (int round = 0; round < 10; round++) {
                String namespace = "n-" + round;
                store.createNamespace(namespace);
                List<String> outcomes =
                        together(
                                () -> dropped(store, namespace),
                                () -> created(second, namespace, "docs"));
                assertThat(outcomes)
                        .isIn(
                                List.of("dropped", "NAMESPACE_NOT_FOUND"),
                                List.of("NAMESPACE_NOT_EMPTY", "created"));
                assertThat(store.namespaces().contains(namespace))
                        .isEqualTo(outcomes.contains("created"));
            }
        }
    }

    private static String dropped(Metastore on, String namespace) throws MetastoreException {
        try {
            on.dropNamespace(namespace, false);
            return "dropped";
        } catch (MetastoreException e) {
            return e.code().name();
        }
    }

    @Test
    void forgetsARetiredPath() throws Exception {
        create("docs");
        store.dropCollection(1);

        store.forgetRetiredPath("ns/1/collections/1/");
        store.forgetRetiredPath("ns/1/collections/1/");

        assertThat(store.retiredPaths())
                .extracting(RetiredPath::path)
                .containsExactly("ns/1/pk/collection-1/");
    }

    @Test
    void headIsOneState() throws Exception {
        CollectionInfo info = create("docs");
        long before = store.clockMs();

        CollectionHead first = store.head("default", "docs").orElseThrow();
        assertThat(first.collection()).isEqualTo(info);
        assertThat(first.pointer()).isNull();
        assertThat(first.clockMs()).isBetween(before, store.clockMs());
        Lease lease = store.acquireLease(LEASE, "me", HOUR);
        Pointer pointer = store.swapPointer(swap(0, lease.epoch()));
        assertThat(store.head(1).pointer()).isEqualTo(pointer);
        assertThat(store.head("default", "none")).isEmpty();
        refused(Code.COLLECTION_NOT_FOUND, () -> store.head(7));
    }

    // Tags

    @Test
    void tagsAVersion() throws Exception {
        long epoch = versions(3);
        long before = store.clockMs();

        Tag tag = store.createTag(tag("a", 2));

        assertThat(tag.createdAtMs()).isBetween(before, store.clockMs());
        assertThat(tag)
                .isEqualTo(new Tag(1, "a", 2, "m-2", "for b", tag.createdAtMs(), null, false));
        Tag other =
                store.createTag(new TagRequest(1, "Z-1.0_x", 3, "m-3", "", before + HOUR, true));
        assertThat(store.tags(1)).containsExactly(other, tag);
        store.swapPointer(swap(3, epoch));
        assertThat(store.tags(1)).as("tags stay where they are").containsExactly(other, tag);
        assertThat(store.tags(2)).isEmpty();
        try (Metastore second = open()) {
            assertThat(second.tags(1)).containsExactly(other, tag);
        }
    }

    @Test
    void tagsDoNotChange() throws Exception {
        versions(3);
        Tag tag = store.createTag(tag("a", 2));

        refused(Code.TAG_EXISTS, () -> store.createTag(tag("a", 3)), "\"a\"", "version 2");
        refused(Code.TAG_EXISTS, () -> store.createTag(tag("a", 2)));
        assertThat(store.tags(1)).containsExactly(tag);
        store.deleteTag(1, "a");
        assertThat(store.tags(1)).isEmpty();
        refused(Code.TAG_NOT_FOUND, () -> store.deleteTag(1, "a"), "\"a\"");
        refused(Code.COLLECTION_NOT_FOUND, () -> store.deleteTag(5, "a"));
        assertThat(store.createTag(tag("a", 3)).version()).isEqualTo(3);
    }

    @Test
    void aTagMayNameAnotherManifestOfItsVersion() throws Exception {
        versions(3);
        Tag tag = store.createTag(tag("a", 2));
        Tag other = store.createTag(tag("b", 2));
        for (int i = 0; i < 2; i++) {
            store.replaceTagged(1, "a", "m-2", "copy-2");
            Tag now = store.tags(1).get(0);
            assertThat(now.path()).isEqualTo("copy-2");
            assertThat(now.version()).isEqualTo(2);
            assertThat(now.createdAtMs()).isEqualTo(tag.createdAtMs());
            assertThat(store.tags(1).get(1)).isEqualTo(other);
        }
        refused(Code.TAG_NOT_FOUND, () -> store.replaceTagged(1, "a", "m-2", "x"), "a");
        refused(Code.TAG_NOT_FOUND, () -> store.replaceTagged(1, "c", "m-2", "x"), "c");
        refused(Code.COLLECTION_NOT_FOUND, () -> store.replaceTagged(5, "a", "m-2", "x"));
    }

    /** Two erasures and somebody who deletes it: one replaces it at most, and it is gone. */
    @Test
    void aTagIsReplacedOnceOrGone() throws Exception {
        versions(2);
        try (Metastore second = open();
                Metastore third = open()) {
            for (int round = 0; round < 20; round++) {
                store.createTag(tag("a", 2));
                CyclicBarrier start = new CyclicBarrier(3);
                List<String> outcomes =
                        together(
                                attempt(start, () -> store.replaceTagged(1, "a", "m-2", "copy-1")),
                                attempt(start, () -> second.replaceTagged(1, "a", "m-2", "copy-2")),
                                attempt(start, () -> third.deleteTag(1, "a")));
                assertThat(outcomes.get(2)).isEqualTo("done");
                assertThat(outcomes.subList(0, 2))
                        .isSubsetOf("done", Code.TAG_NOT_FOUND.name())
                        .isNotEqualTo(List.of("done", "done"));
                assertThat(store.tags(1)).isEmpty();
            }
        }
    }

    private interface Attempt {
        void make() throws MetastoreException;
    }

    private static Callable<String> attempt(CyclicBarrier start, Attempt attempt) {
        return () -> {
            start.await(60, TimeUnit.SECONDS);
            try {
                attempt.make();
                return "done";
            } catch (MetastoreException e) {
                return e.code().name();
            }
        };
    }

    @Test
    void refusesBadTags() throws Exception {
        versions(3);

        for (String name : List.of("", " ", "a b", "_a", "-", "ä", "a/b", "a\0", "x".repeat(129))) {
            refused(Code.INVALID_ARGUMENT, () -> store.createTag(tag(name, 2)), "tag's name");
        }
        assertThat(store.createTag(tag("x".repeat(128), 2)).name()).hasSize(128);
        refused(Code.INVALID_ARGUMENT, () -> store.createTag(tag("a", 0)), "at least 1");
        refused(Code.INVALID_ARGUMENT, () -> store.createTag(tag("a", -1)));
        TagRequest good = tag("a", 2);
        refused(Code.INVALID_ARGUMENT, () -> store.createTag(with(good, "", "")), "path");
        refused(
                Code.INVALID_ARGUMENT,
                () -> store.createTag(with(good, "m-2", "x".repeat(1025))),
                "description");
        refused(Code.INVALID_ARGUMENT, () -> store.createTag(with(good, "m-2", "a\0")));
        long now = store.clockMs();
        refused(
                Code.INVALID_ARGUMENT,
                () -> store.createTag(new TagRequest(1, "a", 2, "m-2", "", now, false)),
                "expire later than now");
        refused(
                Code.INVALID_ARGUMENT,
                () -> store.createTag(new TagRequest(1, "a", 3, "m-9", "", null, false)),
                "m-3");
        refused(
                Code.COLLECTION_NOT_FOUND,
                () -> store.createTag(new TagRequest(9, "a", 2, "m-2", "", null, false)));
        assertThat(store.tags(1)).hasSize(1);
    }

    @Test
    void tagsOnlyWhatIsThere() throws Exception {
        create("docs");
        refused(Code.SNAPSHOT_EXPIRED, () -> store.createTag(tag("a", 1)), "live version is 0");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();
        store.swapPointer(swap(0, epoch));

        refused(Code.SNAPSHOT_EXPIRED, () -> store.createTag(tag("a", 2)), "live version is 1");
        assertThat(store.createTag(tag("a", 1)).version()).isEqualTo(1);
    }

    @Test
    void noVersionBelowTheReleasedOnesIsTagged() throws Exception {
        versions(5);
        Tag old = store.createTag(tag("old", 1));

        assertThat(store.releaseVersions(1, 3)).containsExactly(old);

        refused(Code.SNAPSHOT_EXPIRED, () -> store.createTag(tag("a", 2)), "below 3");
        Tag kept = store.createTag(tag("b", 3));
        assertThat(store.releaseVersions(1, 2)).containsExactly(kept, old);
        refused(Code.SNAPSHOT_EXPIRED, () -> store.createTag(tag("a", 2)), "below 3");
        store.releaseVersions(1, 4);
        refused(Code.SNAPSHOT_EXPIRED, () -> store.createTag(tag("a", 3)), "below 4");
        refused(Code.COLLECTION_NOT_FOUND, () -> store.releaseVersions(7, 1));
        assertThat(store.tags(1)).containsExactly(kept, old);
    }

    /** A version that is not released is tagged, or its tag is seen by whoever releases it. */
    @Test
    void aTagIsSeenOrRefused() throws Exception {
        int rounds = 30;
        versions(rounds + 1);
        try (Metastore second = open()) {
            for (int round = 1; round <= rounds; round++) {
                long version = round;
                CyclicBarrier start = new CyclicBarrier(2);
                Callable<String> tagging =
                        () -> {
                            start.await(5, TimeUnit.MINUTES);
                            try {
                                return store.createTag(tag("t" + version, version)).name();
                            } catch (MetastoreException e) {
                                return e.code().name();
                            }
                        };
                Callable<String> releasing =
                        () -> {
                            start.await(5, TimeUnit.MINUTES);
                            List<Tag> seen = second.releaseVersions(1, version + 1);
                            return seen.stream().anyMatch(tag -> tag.version() == version)
                                    ? "t" + version
                                    : Code.SNAPSHOT_EXPIRED.name();
                        };
                List<String> outcomes = together(tagging, releasing);
                assertThat(outcomes.get(0)).isEqualTo(outcomes.get(1));
            }
        }
    }

    @Test
    void expiredTagsMakeRoom() throws Exception {
        versions(1);
        for (int i = 0; i < Arguments.MAX_TAGS; i++) {
            store.createTag(tag("t" + i, 1));
        }
        refused(Code.TOO_MANY_TAGS, () -> store.createTag(tag("one-more", 1)), "64");
        execute("UPDATE loam_tag SET expires_at_ms = 1 WHERE name IN ('t0', 't1')");
        assertThat(store.tags(1)).as("expired ones are listed").hasSize(Arguments.MAX_TAGS);

        store.createTag(tag("t0", 1));

        assertThat(store.tags(1)).extracting(Tag::name).doesNotContain("t1").contains("t0");
        assertThat(store.expireTags(1)).isEmpty();
        refused(Code.COLLECTION_NOT_FOUND, () -> store.expireTags(7));
    }

    @Test
    void expiresTags() throws Exception {
        versions(1);
        long soon = store.clockMs() + 2;
        Tag tag = store.createTag(new TagRequest(1, "a", 1, "m-1", "", soon + HOUR, false));
        execute("UPDATE loam_tag SET expires_at_ms = " + soon);
        awaitExpiry();

        assertThat(store.expireTags(1)).extracting(Tag::name).containsExactly(tag.name());
        assertThat(store.tags(1)).isEmpty();
    }

    @Test
    void aProtectedCollectionIsNotDropped() throws Exception {
        versions(1);
        store.createTag(tag("plain", 1));
        long later = store.clockMs() + HOUR;
        store.createTag(new TagRequest(1, "first", 1, "m-1", "", null, true));
        store.createTag(new TagRequest(1, "second", 1, "m-1", "", later, true));

        refused(
                Code.COLLECTION_PROTECTED,
                () -> store.dropCollection(1),
                "default.docs",
                "first, second",
                "delete them first");
        assertThat(store.pointer(1, KEY)).isPresent();
        store.deleteTag(1, "first");
        execute("UPDATE loam_tag SET expires_at_ms = 1 WHERE name = 'second'");
        store.dropCollection(1);
        assertThat(store.tags(1)).isEmpty();
        assertThat(count("SELECT COUNT(*) FROM loam_tag")).isZero();
    }

    private long versions(int number) throws MetastoreException {
        create("docs");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();
        for (int version = 0; version < number; version++) {
            store.swapPointer(swap(version, epoch));
        }
        return epoch;
    }

    private static TagRequest tag(String name, long version) {
        return new TagRequest(1, name, version, "m-" + version, "for b", null, false);
    }

    private static TagRequest with(TagRequest request, String path, String description) {
        return new TagRequest(
                request.collectionId(),
                request.name(),
                request.version(),
                path,
                description,
                null,
                false);
    }

    // Pointers

    @Test
    void swapsAPointerStepByStep() throws Exception {
        create("docs");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();

        assertThat(store.pointer(1, KEY)).isEmpty();
        assertThat(store.swapPointer(swap(0, epoch))).isEqualTo(new Pointer(1, "m-1"));
        assertThat(store.swapPointer(swap(1, epoch))).isEqualTo(new Pointer(2, "m-2"));
        assertThat(store.pointer(1, KEY)).contains(new Pointer(2, "m-2"));
        assertThat(store.pointer(2, KEY)).isEmpty();
    }

    @Test
    void aVersionMismatchNamesWhatIsThere() throws Exception {
        create("docs");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();

        MetastoreException absent =
                refused(Code.VERSION_MISMATCH, () -> store.swapPointer(swap(4, epoch)), "absent");
        assertThat(absent.current()).isEmpty();
        store.swapPointer(swap(0, epoch));
        MetastoreException present =
                refused(Code.VERSION_MISMATCH, () -> store.swapPointer(swap(0, epoch)), "m-1");
        assertThat(present.current()).contains(new Pointer(1, "m-1"));
    }

    /** Each line fails every check from its own on; the first of them must be the one reported. */
    @Test
    void checksASwapInTheOrderOfTheSpecification() throws Exception {
        create("docs");
        store.createNamespace("other");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();
        long bad = epoch + 5;
        String value = "m";

        refused(Code.INVALID_ARGUMENT, () -> swap(9, "", "", 9, bad, 0), "key");
        refused(Code.INVALID_ARGUMENT, () -> swap(9, "k".repeat(1025), "", 9, bad, 0), "key");
        refused(Code.INVALID_ARGUMENT, () -> swap(9, "collection/1", "", 9, bad, 0), "value");
        for (String id : List.of("collection/x", "collection/", "collection/01", "collection/-1")) {
            refused(Code.INVALID_ARGUMENT, () -> swap(9, id, value, 9, bad, 0), id);
        }
        refused(Code.COLLECTION_NOT_FOUND, () -> swap(9, "collection/1", value, 9, bad, 0));
        refused(Code.COLLECTION_NOT_FOUND, () -> swap(2, "collection/1", value, 9, bad, 0));
        refused(Code.COLLECTION_NOT_FOUND, () -> swap(1, "collection/2", value, 9, bad, 0));
        refused(Code.NAMESPACE_NOT_FOUND, () -> swap(9, "free/1", value, 9, bad, 0));
        refused(Code.FENCED, () -> swap(1, KEY, value, 9, bad, 0));
        refused(Code.VERSION_MISMATCH, () -> swap(1, KEY, value, 9, epoch, 0));
        refused(Code.STALE_OBJECT, () -> swap(1, KEY, value, 0, epoch, 0));
        assertThat(store.pointer(1, KEY)).isEmpty();
        assertThat(swap(1, KEY, value, 0, epoch, store.clockMs()).version()).isEqualTo(1);
        refused(Code.VERSION_MISMATCH, () -> swap(1, KEY, value, 0, epoch, 0), "at version 1");
    }

    @Test
    void othersKeysNeedNoCollection() throws Exception {
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();

        assertThat(swap(1, "link/9", "v", 0, epoch, store.clockMs()).version()).isEqualTo(1);
        assertThat(store.pointer(1, "link/9")).contains(new Pointer(1, "v"));
    }

    @Test
    void theFenceIsTheEpochAndAnOwnerNotTheTime() throws Exception {
        create("docs");
        refused(Code.FENCED, () -> store.swapPointer(swap(0, 1)), "no owner");
        long epoch = store.acquireLease(LEASE, "me", 1).epoch();
        awaitExpiry();

        store.swapPointer(swap(0, epoch));
        long taken = store.takeOverLease(LEASE, "other", HOUR).epoch();
        refused(Code.FENCED, () -> store.swapPointer(swap(1, epoch)), "owner other");
        store.releaseLease(LEASE, "other", taken);
        refused(Code.FENCED, () -> store.swapPointer(swap(1, taken)), "no owner");
        assertThat(store.pointer(1, KEY)).contains(new Pointer(1, "m-1"));
    }

    @Test
    void oneOfTwoRacersSwaps() throws Exception {
        create("docs");
        long epoch = store.acquireLease(LEASE, "me", HOUR).epoch();
        int rounds = 40;
        try (Metastore second = open()) {
            CyclicBarrier start = new CyclicBarrier(2);
            List<Integer> won =
                    together(
                            () -> swapAll(store, start, rounds, epoch, "a"),
                            () -> swapAll(second, start, rounds, epoch, "b"));
            assertThat(won.get(0) + won.get(1)).isEqualTo(rounds);
        }
        assertThat(store.pointer(1, KEY).orElseThrow().version()).isEqualTo(rounds);
    }

    private int swapAll(Metastore on, CyclicBarrier start, int rounds, long epoch, String value)
            throws Exception {
        int won = 0;
        for (int version = 0; version < rounds; version++) {
            start.await(5, TimeUnit.MINUTES);
            try {
                on.swapPointer(
                        new PointerSwap(1, KEY, version, value, LEASE, epoch, on.clockMs(), AGE));
                won++;
            } catch (MetastoreException e) {
                assertThat(e.code()).isEqualTo(Code.VERSION_MISMATCH);
                assertThat(e.current()).isPresent();
            }
        }
        return won;
    }

    // Leases

    @Test
    void leasesGoToOneOwnerAtATime() throws Exception {
        long before = store.clockMs();
        Lease mine = store.acquireLease(LEASE, "me", HOUR);

        assertThat(mine.epoch()).isEqualTo(1);
        assertThat(mine.owner()).isEqualTo("me");
        assertThat(mine.expiresAtMs()).isBetween(before + HOUR, store.clockMs() + HOUR);
        assertThat(store.lease(LEASE)).contains(mine);
        assertThat(store.lease("other")).isEmpty();
        refused(Code.LEASE_HELD, () -> store.acquireLease(LEASE, "you", HOUR), "held by me until");
        assertThat(store.acquireLease(LEASE, "me", HOUR).epoch()).as("extended").isEqualTo(1);
        assertThat(store.acquireLease("other", "you", HOUR).epoch()).isEqualTo(1);
    }

    @Test
    void anExpiredLeaseIsFree() throws Exception {
        store.acquireLease(LEASE, "me", 1);
        awaitExpiry();

        refused(Code.LEASE_LOST, () -> store.renewLease(LEASE, "me", 1, HOUR), "expired");
        Lease yours = store.acquireLease(LEASE, "you", 1);
        assertThat(yours.epoch()).isEqualTo(2);
        awaitExpiry();
        assertThat(store.acquireLease(LEASE, "you", HOUR).epoch()).as("own, expired").isEqualTo(3);
        refused(Code.LEASE_LOST, () -> store.reacquireLease(LEASE, "you", 2, HOUR), "epoch 3");
    }

    @Test
    void renewsAndReacquires() throws Exception {
        Lease first = store.acquireLease(LEASE, "me", HOUR / 2);
        Lease renewed = store.renewLease(LEASE, "me", 1, HOUR);

        assertThat(renewed.epoch()).isEqualTo(1);
        assertThat(renewed.expiresAtMs()).isGreaterThan(first.expiresAtMs());
        store.renewLease(LEASE, "me", 1, 1);
        awaitExpiry();
        assertThat(store.reacquireLease(LEASE, "me", 1, HOUR).epoch()).isEqualTo(1);
        assertThat(store.renewLease(LEASE, "me", 1, HOUR).epoch()).isEqualTo(1);
        refused(Code.LEASE_LOST, () -> store.renewLease(LEASE, "me", 2, HOUR));
        refused(Code.LEASE_LOST, () -> store.renewLease(LEASE, "you", 1, HOUR), "me holds it");
        refused(Code.LEASE_LOST, () -> store.renewLease("none", "me", 1, HOUR), "nobody");
        refused(Code.LEASE_LOST, () -> store.reacquireLease("none", "me", 1, HOUR), "nobody");
    }

    @Test
    void takesOverWhoeverHolds() throws Exception {
        store.acquireLease(LEASE, "me", HOUR);

        assertThat(store.takeOverLease(LEASE, "you", HOUR).epoch()).isEqualTo(2);
        assertThat(store.takeOverLease(LEASE, "you", HOUR).epoch()).isEqualTo(3);
        assertThat(store.takeOverLease("new", "you", HOUR).epoch()).isEqualTo(1);
        refused(Code.LEASE_LOST, () -> store.renewLease(LEASE, "me", 1, HOUR));
    }

    @Test
    void releasesOnlyItsOwnAndKeepsTheEpoch() throws Exception {
        store.acquireLease(LEASE, "me", HOUR);

        store.releaseLease(LEASE, "you", 1);
        store.releaseLease(LEASE, "me", 7);
        store.releaseLease("none", "me", 1);
        assertThat(store.lease(LEASE).orElseThrow().owner()).isEqualTo("me");
        store.releaseLease(LEASE, "me", 1);
        store.releaseLease(LEASE, "me", 1);
        assertThat(store.lease(LEASE).orElseThrow().owner()).isNull();
        assertThat(store.acquireLease(LEASE, "you", HOUR).epoch()).isEqualTo(2);
    }

    @Test
    void refusesBadLeases() {
        for (long ttl : new long[] {0, -1, HOUR + 1}) {
            refused(Code.INVALID_ARGUMENT, () -> store.acquireLease(LEASE, "me", ttl), "TTL");
        }
        refused(Code.INVALID_ARGUMENT, () -> store.acquireLease("", "me", 1));
        refused(Code.INVALID_ARGUMENT, () -> store.takeOverLease("k".repeat(1025), "me", 1));
        refused(Code.INVALID_ARGUMENT, () -> store.renewLease(LEASE, "", 1, 1));
        refused(Code.INVALID_ARGUMENT, () -> store.reacquireLease(LEASE, "a\0b", 1, 1));
    }

    @Test
    void oneOfTwoRacersAcquires() throws Exception {
        int rounds = 20;
        try (Metastore second = open()) {
            CyclicBarrier start = new CyclicBarrier(2);
            List<Integer> won =
                    together(
                            () -> acquireAll(store, start, rounds, "a"),
                            () -> acquireAll(second, start, rounds, "b"));
            assertThat(won.get(0) + won.get(1)).isEqualTo(rounds);
        }
    }

    private int acquireAll(Metastore on, CyclicBarrier start, int rounds, String owner)
            throws Exception {
        int won = 0;
        for (int round = 0; round < rounds; round++) {
            start.await(5, TimeUnit.MINUTES);
            try {
                assertThat(on.acquireLease("lease/" + round, owner, HOUR).epoch()).isEqualTo(1);
                won++;
            } catch (MetastoreException e) {
                assertThat(e.code()).isEqualTo(Code.LEASE_HELD);
            }
        }
        return won;
    }

    // Row-id bases

    @Test
    void everyIncarnationHasItsOwnBase() throws Exception {
        create("docs");
        create("more");

        assertThat(base(1, 'A', 1, 0)).isZero();
        assertThat(base(1, 'A', 1, 0)).isZero();
        assertThat(base(1, 'A', 9, 0)).as("a later arena").isZero();
        assertThat(base(1, 'B', 1, 0)).isEqualTo(1);
        assertThat(base(1, 'C', 1, 700)).isEqualTo(700);
        assertThat(base(1, 'D', 1, 5)).as("above every base given").isEqualTo(701);
        assertThat(base(2, 'A', 1, 0)).as("another collection").isZero();
        refused(Code.COLLECTION_NOT_FOUND, () -> base(9, 'A', 1, 0));
    }

    @Test
    void aBaseIsReplacedOnceItsArenaIsOvertaken() throws Exception {
        create("docs");
        base(1, 'A', 1, 0);

        assertThat(base(1, 'A', 1, ARENA)).as("just reaches").isZero();
        long replaced = base(1, 'A', 1, ARENA + 1);
        assertThat(replaced).isEqualTo(ARENA + 1);
        assertThat(base(1, 'A', 1, ARENA + 1)).as("one for all callers").isEqualTo(replaced);
        assertThat(base(1, 'A', 2, ARENA + 1)).isEqualTo(replaced);
        assertThat(base(1, 'B', 1, 0)).isEqualTo(replaced + 1);
    }

    @Test
    void basesAreUnsigned() throws Exception {
        create("docs");
        long high = -1L << 40;

        assertThat(base(1, 'A', 1, high)).isEqualTo(high);
        assertThat(base(1, 'B', 1, 3)).isEqualTo(high + 1);
        refused(Code.INVALID_ARGUMENT, () -> base(1, 'B', 1L << 31, 3), "used up");
        refused(Code.INVALID_ARGUMENT, () -> base(1, 'B', ARENA, 3), "arena");
        refused(Code.INVALID_ARGUMENT, () -> base(1, 'B', -1, 3), "arena");
    }

    @Test
    void theFirstTopicStaysUntilReplaced() throws Exception {
        long docs = create("docs").id();
        long other = create("other").id();

        assertThat(store.bindTopic(docs, "a", false)).isEqualTo("a");
        assertThat(store.bindTopic(docs, "b", false)).isEqualTo("a");
        assertThat(store.bindTopic(other, "b", false)).isEqualTo("b");
        assertThat(store.bindTopic(docs, "c", true)).isEqualTo("c");
        assertThat(store.bindTopic(docs, "a", false)).isEqualTo("c");
        refused(Code.COLLECTION_NOT_FOUND, () -> store.bindTopic(9, "a", false), "9");
        refused(Code.INVALID_ARGUMENT, () -> store.bindTopic(docs, "", false), "topic's id");
        store.dropCollection(docs);
        assertThat(count("SELECT COUNT(*) FROM loam_topic")).isEqualTo(1);
    }

    @Test
    void racersOfOneIncarnationGetOneBase() throws Exception {
        create("docs");
        base(1, 'A', 1, 0);
        try (Metastore second = open()) {
            Callable<Long> ask = () -> store.rowIdBase(1, incarnation('Q'), 1, 55);
            Callable<Long> askToo = () -> second.rowIdBase(1, incarnation('Q'), 1, 55);
            assertThat(new HashSet<>(together(ask, askToo, ask, askToo))).containsExactly(55L);
        }
    }

    /** A collection that a new job writes every minute does not keep a row for each of them. */
    @Test
    void basesOfJobsLongGoneAreForgotten() throws Exception {
        create("docs");
        create("others");
        Ulid gone = Ulid.of(1_000, 0, 0);
        long base = store.rowIdBase(1, gone, 1, 0);
        long ofOthers = store.rowIdBase(2, gone, 1, 0);
        for (int job = 1; job < RowIdBaseTable.KEPT; job++) {
            store.rowIdBase(1, Ulid.of(1_000 + job, 0, 0), 1, 0);
        }
        Ulid within = Ulid.of(1_000 + RowIdBaseTable.KEPT_MS, 0, 0);
        store.rowIdBase(1, within, 1, 0);
        assertThat(store.rowIdBase(1, gone, 1, 0)).as("still within a month").isEqualTo(base);

        Ulid later = Ulid.of(1_001 + RowIdBaseTable.KEPT_MS, 0, 0);
        long newest = store.rowIdBase(1, later, 1, 0);
        long second = store.rowIdBase(1, Ulid.of(1_002, 0, 0), 1, 0);
        assertThat(second).as("as young as that").isEqualTo(base + 2);
        assertThat(store.rowIdBase(1, gone, 1, 0)).as("forgotten").isEqualTo(newest + 1);
        assertThat(store.rowIdBase(2, gone, 1, 0)).as("of another").isEqualTo(ofOthers);
        assertThat(store.rowIdBase(1, within, 1, 0)).isEqualTo(newest - 1);
    }

    // Clock

    @Test
    void theClockFollowsTheWallClock() throws Exception {
        long before = System.currentTimeMillis();
        long clock = store.clockMs();

        assertThat(clock).isBetween(before - 5_000, System.currentTimeMillis() + 5_000);
        assertThat(store.clockMs()).isGreaterThanOrEqualTo(clock);
    }

    @Test
    void theClockNeverGoesBack() throws Exception {
        create("docs");
        long future = System.currentTimeMillis() + 86_400_000;
        execute("UPDATE loam_clock SET last_ms = " + future);

        assertThat(store.clockMs()).isEqualTo(future);
        try (Metastore second = open()) {
            assertThat(second.clockMs()).isEqualTo(future);
            assertThat(second.head(1).clockMs()).isEqualTo(future);
        }
        assertThat(store.acquireLease(LEASE, "me", HOUR).expiresAtMs()).isEqualTo(future + HOUR);
        refused(
                Code.STALE_OBJECT,
                () -> swap(1, KEY, "m", 0, 1, System.currentTimeMillis()),
                "may be published for");
    }

    // Opening

    @Test
    void everyMigrationRunsOnce() throws Exception {
        create("docs");
        open().close();

        assertThat(count("SELECT COUNT(*) FROM loam_schema_version")).isEqualTo(MIGRATIONS);
        assertThat(store.collection(1).name()).isEqualTo("docs");
    }

    @Test
    void aDatabaseOfAnOlderReleaseGetsWhatItLacks() throws Exception {
        versions(2);
        execute("DROP TABLE loam_tag");
        execute("DROP TABLE loam_version_floor");
        execute("DELETE FROM loam_schema_version WHERE version = 3");

        try (Metastore opened = open()) {
            assertThat(opened.createTag(tag("a", 2)).path()).isEqualTo("m-2");
            assertThat(opened.collection(1).name()).isEqualTo("docs");
        }
        assertThat(count("SELECT COUNT(*) FROM loam_schema_version")).isEqualTo(MIGRATIONS);
    }

    @Test
    void refusesADatabaseOfANewerRelease() throws Exception {
        execute("INSERT INTO loam_schema_version (version, applied_at_ms) VALUES (99, 0)");

        refused(Code.INVALID_ARGUMENT, () -> open().close(), "version 99");
    }

    /** A fresh database that several openers migrate at once. */
    @Test
    void racingOpenersMigrateOnce() throws Exception {
        store.close();
        for (int round = 0; round < 3; round++) {
            dropTables();
            CyclicBarrier start = new CyclicBarrier(4);
            Callable<List<String>> opener =
                    () -> {
                        start.await(5, TimeUnit.MINUTES);
                        try (Metastore opened = open()) {
                            return opened.namespaces();
                        }
                    };
            assertThat(together(opener, opener, opener, opener)).containsOnly(List.of("default"));
            assertThat(count("SELECT COUNT(*) FROM loam_schema_version")).isEqualTo(MIGRATIONS);
            assertThat(count("SELECT COUNT(*) FROM loam_clock")).isEqualTo(1);
        }
        store = open();
    }

    @Test
    void racersCreateOneCollection() throws Exception {
        try (Metastore second = open()) {
            for (int round = 0; round < 10; round++) {
                String name = "docs-" + round;
                List<String> outcomes =
                        together(
                                () -> created(store, name),
                                () -> created(second, name),
                                () -> created(store, name));
                assertThat(outcomes).containsOnlyOnce("created");
                assertThat(outcomes.stream().filter("COLLECTION_EXISTS"::equals)).hasSize(2);
            }
        }
        assertThat(store.collections("default")).hasSize(10);
    }

    private static String created(Metastore on, String name) throws MetastoreException {
        return created(on, "default", name);
    }

    private static String created(Metastore on, String namespace, String name)
            throws MetastoreException {
        try {
            on.createCollection(namespace, name, schema(1, 1), 2, null);
            return "created";
        } catch (MetastoreException e) {
            return e.code().name();
        }
    }

    @Test
    void aClosedMetastoreSaysSo() throws Exception {
        store.close();

        refused(Code.UNAVAILABLE, () -> store.clockMs(), "closed");
    }

    private CollectionInfo create(String name) throws MetastoreException {
        return store.createCollection("default", name, schema(1, 1), 2, null);
    }

    private long base(long collection, char incarnation, long arena, long floor)
            throws MetastoreException {
        return store.rowIdBase(collection, incarnation(incarnation), arena, floor);
    }

    private static Ulid incarnation(char c) {
        return Ulid.parse("0" + String.valueOf(c).repeat(25));
    }

    private PointerSwap swap(long expected, long epoch) throws MetastoreException {
        return new PointerSwap(
                1, KEY, expected, "m-" + (expected + 1), LEASE, epoch, store.clockMs(), AGE);
    }

    private Pointer swap(
            long namespace, String key, String value, long expected, long epoch, long createdAtMs)
            throws MetastoreException {
        return store.swapPointer(
                new PointerSwap(namespace, key, expected, value, LEASE, epoch, createdAtMs, AGE));
    }

    static CollectionSchema schema(long version, int fields) {
        List<Field> list = new ArrayList<>();
        for (int i = 0; i < fields; i++) {
            list.add(new Field("f" + i, "f" + i, new FieldKind.Keyword(), true, true, false));
        }
        return new CollectionSchema(
                version,
                list,
                List.of(),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of("loams.note", "straße \"quoted\" 𝄞"));
    }

    static MetastoreException refused(Code code, ThrowingCallable call, String... messageParts) {
        MetastoreException[] seen = new MetastoreException[1];
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> {
                            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
                            for (String part : messageParts) {
                                assertThat(e.getMessage()).contains(part);
                            }
                            seen[0] = e;
                        });
        return seen[0];
    }

    private void awaitExpiry() throws Exception {
        long until = store.clockMs() + 2;
        while (store.clockMs() < until) {
            Thread.sleep(1);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void dropTables() throws SQLException {
        for (String table :
                List.of(
                        "schema_version",
                        "clock",
                        "sequence",
                        "collection",
                        "namespace",
                        "pointer",
                        "lease",
                        "row_id_floor",
                        "row_id_base",
                        "retired_path",
                        "topic",
                        "tag",
                        "version_floor")) {
            execute("DROP TABLE loam_" + table);
        }
    }

    @SafeVarargs
    static <T> List<T> together(Callable<T>... tasks) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(tasks.length);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> task : tasks) {
                futures.add(pool.submit(task));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(5, TimeUnit.MINUTES));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
