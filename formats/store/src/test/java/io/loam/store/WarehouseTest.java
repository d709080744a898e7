package io.loam.store;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.ManifestCodec;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.object.LocalObjectStore;
import io.loam.store.testing.FailingMetastore;
import io.loam.store.testing.FailingObjectStore;
import io.loam.store.testing.FaultPlan;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WarehouseTest {
    @TempDir Path temporary;
    private final FaultPlan seen = FaultPlan.scripted();

    private WarehouseOptions options() {
        return WarehouseOptions.local(temporary.resolve("warehouse"));
    }

    /** A warehouse that notes every operation. */
    private Warehouse observed() throws IOException {
        Path directory = options().directory();
        return Warehouse.of(
                new FailingMetastore(
                        JdbcMetastore.open(options().effectiveMetastoreUrl(), null, null), seen),
                new FailingObjectStore(LocalObjectStore.open(directory), seen),
                (objects, path) -> null,
                (objects, path) -> null);
    }

    private long create() throws IOException {
        try (Warehouse warehouse = Warehouse.openOrCreate(options())) {
            return warehouse
                    .metastore()
                    .createCollection("default", "docs", schema(1), 2, null)
                    .id();
        }
    }

    private static CollectionSchema schema(long version) {
        return new CollectionSchema(
                version,
                List.of(new Field("f", "f", new FieldKind.Keyword(), true, true, false)),
                List.of(),
                List.of(),
                Dynamic.IGNORE,
                100 + (int) version,
                Map.of());
    }

    private static void publish(CollectionHandle handle, long version, CollectionManifest manifest)
            throws IOException {
        String path = handle.paths().manifest(version, handle.ulids().next());
        handle.objects().put(path, ManifestCodec.encode(manifest));
        point(handle, version, path);
    }

    private static void point(CollectionHandle handle, long version, String path)
            throws IOException {
        String key = handle.paths().leaseKey();
        Lease lease = handle.metastore().acquireLease(key, "test", 60_000);
        handle.metastore()
                .swapPointer(
                        new PointerSwap(
                                handle.info().namespaceId(),
                                handle.paths().pointerKey(),
                                version - 1,
                                path,
                                key,
                                lease.epoch(),
                                handle.metastore().clockMs(),
                                60_000));
    }

    private static CollectionManifest manifest(long version, long collection) {
        CollectionManifest empty = CollectionManifest.empty(collection);
        return new CollectionManifest(
                version,
                version - 1,
                collection,
                1,
                1_700_000_000_000L,
                0,
                List.of(),
                List.of(),
                List.of(),
                Map.of(0, 7L),
                0,
                "",
                empty.kind(),
                "",
                "",
                0,
                0,
                List.of(),
                null,
                "",
                Map.of(),
                0);
    }

    @Test
    void startsEmptyAndFollowsThePointer() throws IOException {
        long id = create();
        try (Warehouse warehouse = Warehouse.open(options());
                CollectionHandle handle = warehouse.open("default", "docs");
                CollectionHandle again = warehouse.open(id)) {
            assertThat(handle.live())
                    .isEqualTo(new LiveManifest(0, "", CollectionManifest.empty(id)));
            assertThat(again.info()).isEqualTo(handle.info());

            publish(handle, 1, manifest(1, id));

            LiveManifest live = handle.live();
            assertThat(live.version()).isEqualTo(1);
            assertThat(live.path()).startsWith("ns/1/collections/" + id + "/manifests/");
            assertThat(live.manifest()).isEqualTo(manifest(1, id));
            assertThat(handle.liveWhenOpened().version()).isZero();
        }
    }

    @Test
    void opensAManifestInTwoRoundTrips() throws IOException {
        create();
        try (Warehouse warehouse = observed();
                CollectionHandle writer = warehouse.open("default", "docs")) {
            publish(writer, 1, manifest(1, 1));
            String path = writer.live().path();
            seen.forgetOperations();
            try (CollectionHandle handle = warehouse.open("default", "docs")) {
                assertThat(handle.liveWhenOpened().version()).isEqualTo(1);
            }
            assertThat(seen.operations()).containsExactly("head docs", "get " + path);
            seen.forgetOperations();
            writer.live();
            assertThat(seen.operations()).containsExactly("head 1", "get " + path);
        }
    }

    @Test
    void rereadsThePointerWhenTheManifestIsGone() throws IOException {
        create();
        try (Warehouse warehouse = observed();
                CollectionHandle writer = warehouse.open("default", "docs")) {
            publish(writer, 1, manifest(1, 1));
            try (CollectionHandle late = warehouse.open("default", "docs")) {
                String first = late.live().path();
                publish(writer, 2, manifest(2, 1));
                writer.objects().delete(first);

                assertThat(late.liveWhenOpened().version()).isEqualTo(2);
                writer.objects().delete(writer.live().path());
                assertThatThrownBy(late::live)
                        .isInstanceOf(CorruptException.class)
                        .hasMessageContaining("the pointer names version 2")
                        .hasMessageContaining("manifests/");
            }
        }
    }

    @Test
    void refusesAManifestOfAnotherVersionOrCollection() throws IOException {
        create();
        try (Warehouse warehouse = Warehouse.open(options());
                CollectionHandle handle = warehouse.open("default", "docs")) {
            publish(handle, 1, manifest(5, 1));
            assertThatThrownBy(handle::live)
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("version is 5, expected 1");
            publish(handle, 2, manifest(2, 77));
            assertThatThrownBy(handle::live)
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("collection is 77, expected 1");
        }
    }

    @Test
    void readsTheSchemaAnew() throws IOException {
        long id = create();
        try (Warehouse warehouse = Warehouse.open(options());
                CollectionHandle handle = warehouse.open("default", "docs")) {
            warehouse.metastore().updateSchema(id, 1, schema(2));

            assertThat(handle.schema().version()).isEqualTo(1);
            assertThat(handle.refreshSchema()).isEqualTo(schema(2));
            assertThat(handle.schema().version()).isEqualTo(2);
        }
    }

    @Test
    void formatsAreOpenedOnceAndClosedWithTheHandle() throws IOException {
        create();
        AtomicBoolean closed = new AtomicBoolean();
        try (Warehouse warehouse =
                Warehouse.of(
                        JdbcMetastore.open(options().effectiveMetastoreUrl(), null, null),
                        LocalObjectStore.open(options().directory()),
                        (objects, path) -> {
                            assertThat(path).isEqualTo("ns/1/collections/1/lance");
                            return new ClosingRowStore(closed);
                        },
                        (objects, path) -> {
                            throw new IOException("not asked for");
                        })) {
            CollectionHandle handle = warehouse.open("default", "docs");
            assertThat(handle.rows()).isSameAs(handle.rows());
            handle.close();
            assertThat(closed).isTrue();
        }
    }

    @Test
    void saysWhichFormatIsMissing() throws IOException {
        create();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(null);
        try (Warehouse warehouse = Warehouse.open(options());
                CollectionHandle handle = warehouse.open("default", "docs")) {
            assertThatThrownBy(handle::rows)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no RowStoreProvider")
                    .hasMessageContaining("loam-lance");
            assertThatThrownBy(handle::splits).hasMessageContaining("loam-tantivy");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void saysWhatIsNotThereAndLeavesNothingBehind() throws IOException {
        assertThatThrownBy(() -> Warehouse.open(options()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no warehouse at " + options().directory());
        assertThat(options().directory()).doesNotExist();
        Files.createDirectory(options().directory());
        assertThatThrownBy(() -> Warehouse.open(options()))
                .hasMessageContaining("has no metastore.db");
        assertThat(options().directory()).isEmptyDirectory();

        Path file = Files.writeString(temporary.resolve("file"), "x");
        assertThatThrownBy(() -> Warehouse.openOrCreate(WarehouseOptions.local(file)))
                .hasMessageContaining("is not a directory");
        create();
        try (Warehouse warehouse = Warehouse.open(options())) {
            assertThatThrownBy(() -> warehouse.open("default", "other"))
                    .isInstanceOf(MetastoreException.class)
                    .hasMessage("there is no collection \"other\" in namespace \"default\"");
        }
    }

    @Test
    void optionsTakePathsAndFileUris() throws IOException {
        assertThat(new WarehouseOptions("/data/w", null, null, null).directory())
                .isEqualTo(Path.of("/data/w"));
        assertThat(new WarehouseOptions("file:///data/a%20b", null, null, null).directory())
                .isEqualTo(Path.of("/data/a b"));
        assertThat(options().effectiveMetastoreUrl())
                .isEqualTo("jdbc:sqlite:" + options().directory().resolve("metastore.db"));
        for (String bad : List.of("s3://bucket/x", "file:relative", "file:a b")) {
            WarehouseOptions options = new WarehouseOptions(bad, null, null, null);
            assertThatThrownBy(options::directory)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(bad);
        }
        assertThatThrownBy(() -> new WarehouseOptions(" ", null, null, null))
                .hasMessageContaining("must be given");
        WarehouseOptions remote =
                options().withMetastore("jdbc:postgresql://h/d?password=p4", "u", "secret");
        assertThat(remote.toString()).contains("//h/d").doesNotContain("p4", "secret");
        new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(remote);
    }

    @Test
    void objectStoresNeedAMetastoreAndAProvider() throws IOException {
        WarehouseOptions bare = new WarehouseOptions("s3://bucket/x", null, null, null);
        WarehouseOptions options = bare.withProperties(Map.of("s3.secret-key", "hush"));
        assertThat(options.toString())
                .isEqualTo("warehouse s3://bucket/x, metastore not given, settings s3.secret-key");
        for (WarehouseOptions each : List.of(bare, options)) {
            assertThatThrownBy(() -> Warehouse.open(each))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("s3://bucket/x needs a metastore")
                    .hasMessageContaining("jdbc:postgresql://");
        }
        WarehouseOptions located =
                options.withMetastore(
                        "jdbc:sqlite:" + temporary.resolve("metastore.db"), null, null);
        assertThat(located.properties()).containsEntry("s3.secret-key", "hush");
        assertThatThrownBy(() -> Warehouse.openOrCreate(located))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "no object store for s3://bucket/x is on the class path, only for file;"
                                + " add the module loam-s3");
        new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(located);
        assertThatThrownBy(
                        () ->
                                new WarehouseOptions("/data/w", null, null, null)
                                        .withProperties(Map.of("s3.region", "x")))
                .hasMessage(
                        "the warehouse /data/w is a local directory, which has no settings such as"
                                + " s3.region");
    }

    @Test
    void aLocalDirectoryHasSettingsOfRetriesOnly() throws IOException {
        WarehouseOptions options = options().withProperties(Map.of("retry.attempts", "2"));
        Warehouse.openOrCreate(options).close();
        assertThatThrownBy(() -> options().withProperties(Map.of("s3.region", "x")))
                .hasMessageContaining("has no settings such as s3.region");
        assertThatThrownBy(() -> options().withProperties(Map.of("retry.attempts", "x")))
                .hasMessageContaining("retry.attempts");
    }
}
