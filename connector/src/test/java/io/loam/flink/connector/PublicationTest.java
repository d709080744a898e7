package io.loam.flink.connector;

import io.loam.codec.schema.CollectionSchema;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.metastore.CollectionInfo;
import io.loam.store.metastore.Lease;
import io.loam.store.metastore.Metastore;
import io.loam.store.metastore.MetastoreException;
import io.loam.store.metastore.PointerSwap;
import io.loam.store.metastore.TagRequest;

import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A collection gets its name or goes, whoever comes first and however often. */
class PublicationTest {
    private static final CollectionSchema SCHEMA =
            new CollectionSchema(
                    1,
                    List.of(),
                    List.of(),
                    List.of(),
                    CollectionSchema.Dynamic.STRICT,
                    1000,
                    Map.of());

    @TempDir Path directory;
    private WarehouseOptions options;
    private Warehouse warehouse;

    @BeforeEach
    void openWarehouse() throws IOException {
        options = WarehouseOptions.local(directory.resolve("warehouse"));
        warehouse = Warehouse.openOrCreate(options);
    }

    @AfterEach
    void closeWarehouse() throws IOException {
        warehouse.close();
    }

    private CollectionPublication staged(@Nullable Long replaced, boolean yields)
            throws IOException {
        WarehouseCollection opener =
                WarehouseCollection.stage(options, "default", "docs", SCHEMA, 1).opener();
        return new CollectionPublication(opener, "docs", replaced, yields);
    }

    private CollectionInfo create() throws IOException {
        return warehouse.metastore().createCollection("default", "docs", SCHEMA, 1, null);
    }

    private long docs() throws IOException {
        return warehouse.metastore().findCollection("default", "docs").orElseThrow().id();
    }

    private List<CollectionInfo> left() throws IOException {
        return warehouse.metastore().stagedCollections("default");
    }

    /** A task runs again, and the job manager, which has a copy of its own, comes after it. */
    @Test
    void aNameIsGivenOnceAndKept() throws Exception {
        long before = create().id();
        CollectionPublication publication =
                InstantiationUtil.clone(staged(before, false), getClass().getClassLoader());
        publication.publish();
        publication.publish();
        publication.discard();
        assertThat(docs()).isEqualTo(publication.collection().collectionId());
        assertThatThrownBy(() -> warehouse.metastore().collection(before))
                .isInstanceOf(MetastoreException.class);
        assertThat(left()).isEmpty();
    }

    @Test
    void whatIsGivenUpGetsNoName() throws Exception {
        CollectionPublication publication = staged(null, false);
        publication.discard();
        publication.discard();
        assertThat(left()).isEmpty();
        assertThatThrownBy(publication::publish)
                .isInstanceOf(SuppressRestartsException.class)
                .hasStackTraceContaining("was dropped before it had a name");
        assertThat(warehouse.metastore().collections("default")).isEmpty();
    }

    @Test
    void aNameThatIsTakenIsRefusedForGoodOrYielded() throws Exception {
        CollectionPublication publication = staged(null, false);
        CollectionPublication yielding = staged(null, true);
        long present = create().id();
        assertThatThrownBy(publication::publish)
                .isInstanceOf(SuppressRestartsException.class)
                .hasStackTraceContaining("another one got the name")
                .hasStackTraceContaining("id " + present);
        yielding.publish();
        assertThat(docs()).isEqualTo(present);
        assertThat(left()).hasSize(2);
    }

    @Test
    void aProtectedCollectionIsNotReplaced() throws Exception {
        CollectionInfo present = create();
        CollectionPublication publication = staged(present.id(), false);
        protect(present);
        assertThatThrownBy(publication::publish)
                .isInstanceOf(SuppressRestartsException.class)
                .hasStackTraceContaining("the one it replaces must stay")
                .hasStackTraceContaining("kept");
        assertThat(docs()).isEqualTo(present.id());
    }

    /** The job manager ends itself when this throws. */
    @Test
    void aWarehouseOutOfReachIsLeftToGarbageCollection() throws Exception {
        CollectionPublication publication = staged(null, false);
        WarehouseOptions elsewhere = WarehouseOptions.local(directory.resolve("nowhere"));
        new CollectionPublication(
                        new WarehouseCollection(elsewhere, publication.collection().collectionId()),
                        "docs",
                        null,
                        false)
                .discard();
        new CollectionPublication(
                        new WarehouseCollection(
                                options.withMetastore("jdbc:nothing:x", null, null),
                                publication.collection().collectionId()),
                        "docs",
                        null,
                        false)
                .discard();
        assertThat(left()).hasSize(1);
    }

    private void protect(CollectionInfo info) throws IOException {
        Metastore metastore = warehouse.metastore();
        Lease lease = metastore.acquireLease("task/test", "test", 60_000);
        metastore.swapPointer(
                new PointerSwap(
                        info.namespaceId(),
                        "collection/" + info.id(),
                        0,
                        "m-1",
                        "task/test",
                        lease.epoch(),
                        metastore.clockMs(),
                        60_000));
        metastore.createTag(new TagRequest(info.id(), "kept", 1, "m-1", "", null, true));
    }
}
