package io.loam.store.commit;

import io.loam.store.metastore.JdbcMetastore;
import io.loam.store.metastore.Lease;
import io.loam.store.retry.Pause;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LeaseGateTest {
    private static final String KEY = "task/apply/1";
    private static final long TTL_MS = 60_000;

    @TempDir Path dir;
    private JdbcMetastore metastore;
    private int pauses;

    @BeforeEach
    void open() throws IOException {
        metastore = JdbcMetastore.open("jdbc:sqlite:" + dir.resolve("m.db"), null, null);
    }

    @AfterEach
    void close() throws IOException {
        metastore.close();
    }

    /** What happens while the gate waits, and how often it waited. */
    private LeaseGate gate(Pause meanwhile) {
        return new LeaseGate(
                metastore,
                KEY,
                "me"::equals,
                ms -> {
                    pauses++;
                    meanwhile.of(ms);
                });
    }

    private static Pause never() {
        return ms -> {
            throw new IllegalStateException("nothing to wait for");
        };
    }

    @Test
    void aFreeOrOwnLeaseIsNoObstacle() throws IOException {
        gate(never()).await();
        Lease lease = metastore.acquireLease(KEY, "me", TTL_MS);
        gate(never()).awaitExpiry();
        gate(never()).takeOver("me", TTL_MS);
        assertThat(metastore.lease(KEY).orElseThrow().epoch()).isEqualTo(lease.epoch());
        metastore.releaseLease(KEY, "me", lease.epoch());
        gate(never()).awaitExpiry();
    }

    @Test
    void aLeaseThatNobodyExtendsIsWaitedOut() throws IOException {
        // A machine that is busy may let the shortest ones run out before the gate looks.
        for (long ttlMs = 300; pauses == 0 && ttlMs < TTL_MS; ttlMs *= 2) {
            metastore.acquireLease(KEY, "other", ttlMs);
            gate(Pause.real()).awaitExpiry();
        }
        assertThat(pauses).isPositive();
        assertThat(metastore.lease(KEY).orElseThrow().owner()).isEqualTo("other");
    }

    @Test
    void aLeaseThatIsExtendedIsSomebodyElses() throws IOException {
        Lease lease = metastore.acquireLease(KEY, "other", TTL_MS);
        assertThatThrownBy(
                        () ->
                                gate(ms ->
                                                metastore.reacquireLease(
                                                        KEY, "other", lease.epoch(), TTL_MS + 1))
                                        .awaitExpiry())
                .isInstanceOf(LeaseHeldException.class)
                .hasMessageContaining("the apply lease task/apply/1 is held by other until ")
                .hasMessageContaining("--take-over");
    }

    @Test
    void waitingGoesOnWhileItIsExtendedAndEndsWhenItIsTakenOver() throws IOException {
        Lease lease = metastore.acquireLease(KEY, "other", TTL_MS);
        gate(ms -> {
                    if (pauses < 3) {
                        metastore.reacquireLease(KEY, "other", lease.epoch(), TTL_MS);
                    } else {
                        gate(never()).takeOver("me", TTL_MS);
                    }
                })
                .await();
        assertThat(pauses).isEqualTo(3);
        Lease taken = metastore.lease(KEY).orElseThrow();
        assertThat(taken.owner()).isEqualTo("me");
        assertThat(taken.epoch()).isEqualTo(lease.epoch() + 1);
    }
}
