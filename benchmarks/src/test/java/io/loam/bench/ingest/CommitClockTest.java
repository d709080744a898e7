package io.loam.bench.ingest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(120)
class CommitClockTest {
    private static final long RECORDS = 500;

    CommitClockTest() {
        Emissions.started();
        Emissions.at(1, 0, 200);
        Emissions.at(2, 0, RECORDS);
    }

    @Test
    void theLastCommitOfASlowSystemIsSeen() throws Exception {
        AtomicLong looks = new AtomicLong();
        CommitClock clock =
                new CommitClock(
                        () -> {
                            // Long after the job has ended it still shows the commit before.
                            Thread.sleep(50);
                            return OptionalLong.of(looks.incrementAndGet() < 5 ? 1 : 2);
                        });
        assertThat(clock.finish(RECORDS)).containsEntry("commits", 2.0);
    }

    @Test
    void aLookUnderWayIsNotInterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch looking = new CountDownLatch(1);
        CommitClock clock =
                new CommitClock(
                        () -> {
                            looking.countDown();
                            try {
                                Thread.sleep(200);
                            } catch (InterruptedException e) {
                                interrupted.set(true);
                            }
                            return OptionalLong.empty();
                        });
        looking.await();
        clock.close();
        assertThat(interrupted).isFalse();
    }

    @Test
    void aSystemThatCannotBeLookedAtFailsAtTheEnd() throws Exception {
        try (CommitClock clock =
                new CommitClock(
                        () -> {
                            throw new IOException("no table");
                        })) {
            assertThatThrownBy(() -> clock.finish(RECORDS)).hasMessage("no table");
        }
    }

    @Test
    void aCommitThatNeverShowsIsAFailure() throws Exception {
        try (CommitClock clock = new CommitClock(() -> OptionalLong.of(1), 100_000_000L)) {
            assertThatThrownBy(() -> clock.finish(RECORDS))
                    .hasMessageContaining("of checkpoint 1, holds 200");
        }
    }
}
