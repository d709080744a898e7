package io.loam.store;

import io.loam.codec.Ulid;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class UlidFactoryTest {
    private final AtomicLong nanos = new AtomicLong(TimeUnit.MILLISECONDS.toNanos(500));

    @Test
    void followsTheMetastoresClock() {
        UlidFactory ulids = new UlidFactory(1_700_000_000_000L, nanos::get, new Random());

        assertThat(ulids.next().timeMs()).isEqualTo(1_700_000_000_000L);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(40));
        assertThat(ulids.timeMs()).isEqualTo(1_700_000_000_040L);
        assertThat(ulids.next().timeMs()).isEqualTo(1_700_000_000_040L);
        ulids.observe(1_700_000_001_000L);
        assertThat(ulids.next().timeMs()).isEqualTo(1_700_000_001_000L);
    }

    @Test
    void ascendsWithinAMillisecondAndWhenTheClockFallsBack() {
        UlidFactory ulids = new UlidFactory(1_700_000_000_000L, nanos::get, new Random());
        Set<String> seen = new HashSet<>();
        Ulid last = ulids.next();
        for (int i = 0; i < 10_000; i++) {
            if (i == 5_000) {
                ulids.observe(1_600_000_000_000L);
            }
            Ulid next = ulids.next();
            assertThat(next).isGreaterThan(last);
            assertThat(seen.add(next.toString())).isTrue();
            last = next;
        }
        assertThat(last.timeMs()).isEqualTo(1_700_000_000_000L);
    }

    @Test
    void takesATimeThatIsGiven() {
        UlidFactory ulids = new UlidFactory(1_700_000_000_000L, nanos::get, new Random());

        assertThat(ulids.next(1_700_000_000_777L).timeMs()).isEqualTo(1_700_000_000_777L);
        assertThat(ulids.next(1_700_000_000_001L).timeMs()).isEqualTo(1_700_000_000_777L);
    }

    @Test
    void twoFactoriesDoNotMeet() {
        UlidFactory one = new UlidFactory(1_700_000_000_000L, nanos::get, new Random());
        UlidFactory two = new UlidFactory(1_700_000_000_000L, nanos::get, new Random());

        assertThat(one.next()).isNotEqualTo(two.next());
    }
}
