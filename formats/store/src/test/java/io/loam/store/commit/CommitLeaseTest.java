package io.loam.store.commit;

import io.loam.store.metastore.Lease;
import io.loam.store.retry.Pause;
import io.loam.store.testing.FailingMetastore;
import io.loam.store.testing.FaultPlan;
import io.loam.store.testing.FaultPlan.Fault;
import io.loam.store.testing.InMemoryMetastore;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Who waits for whom, under a clock that moves only when somebody waits. */
class CommitLeaseTest {
    private static final String KEY = "task/apply/1";
    private static final long TTL_MS = 30_000;

    private final AtomicLong clockMs = new AtomicLong(1_000_000);
    private final InMemoryMetastore metastore = new InMemoryMetastore(clockMs::get);
    private final FaultPlan faults = FaultPlan.scripted();

    private CommitLease lease(String owner, Pause pause) {
        return new CommitLease(
                new FailingMetastore(metastore, faults), KEY, CommitterOptions.of(owner), pause);
    }

    @Test
    void aLeaseNobodyExtendsIsWaitedOut() throws IOException {
        metastore.acquireLease(KEY, "dead/1", TTL_MS);
        assertThat(lease("a/1", clockMs::addAndGet).epoch()).isEqualTo(2);
        assertThat(clockMs).hasValue(1_030_000);
    }

    @Test
    void aLeaseThatSomebodyElseTookMeanwhileIsNotWaitedFor() throws IOException {
        Lease dead = metastore.acquireLease(KEY, "dead/1", TTL_MS);
        Pause retaken =
                ms -> {
                    clockMs.addAndGet(ms);
                    metastore.releaseLease(KEY, "dead/1", dead.epoch());
                    metastore.acquireLease(KEY, "rival/1", TTL_MS);
                };
        assertThatThrownBy(() -> lease("a/1", retaken).epoch())
                .isInstanceOf(LeaseHeldException.class)
                .hasMessageContaining("is held by rival/1 until");
    }

    @Test
    void aLeaseThatIsReleasedWhileItIsWaitedForIsTaken() throws IOException {
        Lease other = metastore.acquireLease(KEY, "other/1", TTL_MS);
        Pause released =
                ms -> {
                    clockMs.addAndGet(ms);
                    metastore.releaseLease(KEY, "other/1", other.epoch());
                };
        assertThat(lease("a/1", released).epoch()).isEqualTo(2);
        assertThat(clockMs).hasValue(1_000_500);
    }

    /** Released and taken again between the refusal and the look: the wait still ends. */
    @Test
    void aLeaseReleasedAndTakenBetweenTwoLooksEndsTheWait() throws IOException {
        Lease other = metastore.acquireLease(KEY, "other/1", TTL_MS);
        faults.rule(
                operation -> {
                    if (operation.startsWith("lease ") && lookedBefore()) {
                        metastore.releaseLease(KEY, "other/1", other.epoch());
                    }
                    if (operation.startsWith("acquireLease ")) {
                        retakeIfFree();
                    }
                    return false;
                },
                use -> true,
                Fault.NONE);
        assertThatThrownBy(() -> lease("a/1", clockMs::addAndGet).epoch())
                .isInstanceOf(LeaseHeldException.class)
                .hasMessageContaining("is held by rival/1");
    }

    private boolean lookedBefore() {
        return faults.operations().stream().filter(op -> op.startsWith("lease ")).count() > 1;
    }

    private void retakeIfFree() {
        if (metastore.lease(KEY).orElseThrow().owner() == null) {
            metastore.takeOverLease(KEY, "rival/1", TTL_MS);
        }
    }

    @Test
    void aReleaseWithoutAnswerDoesNotFailWhoStops() throws IOException {
        CommitLease lease = lease("a/1", clockMs::addAndGet);
        lease.epoch();
        faults.once("releaseLease", Fault.BEFORE);
        lease.release();
        assertThat(metastore.lease(KEY).orElseThrow().owner()).isEqualTo("a/1");
        assertThat(lease("b/1", clockMs::addAndGet).epoch()).isEqualTo(2);
    }
}
