package io.loam.store.metastore;

import io.loam.codec.Ulid;
import io.loam.codec.schema.CollectionSchema;
import io.loam.store.metastore.MetastoreException.Code;
import io.loam.store.retry.Retry;
import io.loam.store.retry.RetryOptions;
import io.loam.store.testing.FailingMetastore;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.FaultPlan.Fault;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RetryingMetastoreTest {
    @TempDir Path dir;
    private final FaultPlan faults = FaultPlan.scripted();
    private final List<Long> pauses = new ArrayList<>();
    private Metastore store;

    @BeforeEach
    void open() throws MetastoreException {
        store =
                new RetryingMetastore(
                        new FailingMetastore(
                                JdbcMetastore.open("jdbc:sqlite:" + dir.resolve("m"), null, null),
                                faults),
                        new Retry(new RetryOptions(3, 10, 10), pauses::add, () -> 0));
    }

    @AfterEach
    void close() throws MetastoreException {
        store.close();
    }

    @Test
    void readsAreRepeated() throws MetastoreException {
        faults.once("clockMs", Fault.BEFORE).once("clockMs", Fault.AFTER);
        assertThat(store.clockMs()).isPositive();
        faults.once("lease", Fault.BEFORE);
        assertThat(store.lease("l")).isEmpty();
        assertThat(pauses).hasSize(3);
    }

    @Test
    void leasesStandAsIfAskedOnce() throws MetastoreException {
        faults.once("acquireLease", Fault.AFTER);
        Lease lease = store.acquireLease("l", "me", 10_000);
        assertThat(lease.epoch()).isEqualTo(1);
        faults.once("reacquireLease", Fault.AFTER).once("releaseLease", Fault.AFTER);
        assertThat(store.reacquireLease("l", "me", 1, 10_000).epoch()).isEqualTo(1);
        store.releaseLease("l", "me", 1);
        assertThat(store.lease("l").orElseThrow().owner()).isNull();
    }

    @Test
    void aRepeatedTakeOverHasTheNewestEpoch() throws MetastoreException {
        store.acquireLease("l", "other", 10_000);
        faults.once("takeOverLease", Fault.AFTER);
        Lease lease = store.takeOverLease("l", "me", 10_000);
        assertThat(lease.epoch()).isEqualTo(3);
        assertThat(store.lease("l")).hasValue(lease);
    }

    @Test
    void aRepeatedBaseIsTheSame() throws MetastoreException {
        store.createCollection("default", "docs", schema(), 1, null);
        Ulid incarnation = new Ulid(1, 2);
        faults.once("rowIdBase", Fault.AFTER);
        long base = store.rowIdBase(1, incarnation, 1, 100);
        assertThat(base).isEqualTo(100);
        assertThat(store.rowIdBase(1, new Ulid(1, 3), 1, 100)).isEqualTo(101);
    }

    private static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(),
                List.of(),
                CollectionSchema.Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of());
    }

    @Test
    void whatTagsThereAreIsToldAgain() throws MetastoreException {
        store.createCollection("default", "docs", schema(), 1, null);
        faults.once("tags", Fault.BEFORE)
                .once("releaseVersions", Fault.AFTER)
                .once("expireTags", Fault.AFTER);
        assertThat(store.tags(1)).isEmpty();
        assertThat(store.releaseVersions(1, 4)).isEmpty();
        assertThat(store.expireTags(1)).isEmpty();
        assertThat(pauses).hasSize(3);
    }

    @Test
    void whatCannotTellItsOwnEffectIsPassedThrough() {
        faults.once("swapPointer", Fault.BEFORE)
                .once("createNamespace", Fault.AFTER)
                .once("createCollection", Fault.BEFORE)
                .once("dropCollection", Fault.BEFORE)
                .once("createTag", Fault.BEFORE)
                .once("deleteTag", Fault.AFTER);
        assertThatThrownBy(
                        () -> store.swapPointer(new PointerSwap(1, "k", 0, "v", "l", 1, 0, 1000)))
                .hasMessageContaining("swapPointer");
        assertThatThrownBy(() -> store.createNamespace("n")).hasMessageContaining("after");
        assertThatThrownBy(() -> store.createCollection("default", "c", null, 1, null))
                .hasMessageContaining("before");
        assertThatThrownBy(() -> store.dropCollection(1)).hasMessageContaining("before");
        assertThatThrownBy(() -> store.createTag(new TagRequest(1, "t", 1, "p", "", null, false)))
                .hasMessageContaining("before");
        assertThatThrownBy(() -> store.deleteTag(1, "t")).hasMessageContaining("no collection");
        assertThat(pauses).isEmpty();
    }

    @Test
    void refusalsAreNotRepeated() throws MetastoreException {
        store.acquireLease("l", "other", 10_000);
        assertThatThrownBy(() -> store.acquireLease("l", "me", 10_000))
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.LEASE_HELD));
        assertThat(pauses).isEmpty();
    }

    @Test
    void givesUpAndNamesTheOperation() {
        for (int i = 0; i < 3; i++) {
            faults.once("head", Fault.BEFORE);
        }
        assertThatThrownBy(() -> store.head(7))
                .hasMessage(
                        "reading the head of collection 7 failed 3 times: injected before head 7")
                .isInstanceOfSatisfying(
                        MetastoreException.class,
                        e -> assertThat(e.code().unknownOutcome()).isTrue());
    }
}
