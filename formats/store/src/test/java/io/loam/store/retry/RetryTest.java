package io.loam.store.retry;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RetryTest {
    private final List<Long> pauses = new ArrayList<>();

    @Test
    void pausesDoubleUpToTheLongest() {
        Retry.Attempts attempts =
                new Retry(new RetryOptions(6, 100, 500), pauses::add, () -> 0).begin("put x");
        while (attempts.again(new IOException("down"))) {
            assertThat(attempts.failed()).isLessThan(6);
        }
        assertThat(pauses).containsExactly(100L, 200L, 400L, 500L, 500L);
        assertThat(attempts.failed()).isEqualTo(6);
        assertThat(new RetryOptions(6, 100, 500).longestTotalMs()).isEqualTo(1700);
    }

    @Test
    void jitterTakesAwayUpToHalf() {
        RetryOptions options = new RetryOptions(3, 100, 1000);
        assertThat(options.pauseMs(2, 0)).isEqualTo(200);
        assertThat(options.pauseMs(2, 0.5)).isEqualTo(150);
        assertThat(options.pauseMs(2, 0.999)).isBetween(100L, 101L);
    }

    @Test
    void manyAttemptsDoNotOverflow() {
        RetryOptions options = new RetryOptions(1000, 200, 5000);
        for (int failed = 6; failed < 1000; failed++) {
            assertThat(options.pauseMs(failed, 0)).isEqualTo(5000);
        }
    }

    @Test
    void aThreadThatIsToldToStopDoesNotTryAgain() {
        Pause interrupted =
                ms -> {
                    throw new InterruptedIOException("stop");
                };
        IOException failure = new IOException("down");
        assertThat(new Retry(RetryOptions.DEFAULT, interrupted, () -> 0).begin("x").again(failure))
                .isFalse();
        assertThat(failure.getSuppressed()).hasSize(1);

        Thread.currentThread().interrupt();
        try {
            Retry retry = new Retry(RetryOptions.DEFAULT, pauses::add, () -> 0);
            assertThat(retry.begin("x").again(failure)).isFalse();
            assertThat(pauses).isEmpty();
            assertThatThrownBy(() -> Pause.real().of(1000))
                    .isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> new RetryOptions(0, 1, 1))
                .hasMessage("the number of attempts must be at least 1, not 0");
        assertThatThrownBy(() -> new RetryOptions(1, 0, 1))
                .hasMessageContaining("pauses must begin with at least 1 ms");
        assertThatThrownBy(() -> new RetryOptions(1, 3, 2))
                .hasMessageContaining("at first (3 ms) than at most (2 ms)");
    }

    @Test
    void settingsHaveNames() {
        assertThat(RetryOptions.of(Map.of())).isEqualTo(RetryOptions.DEFAULT);
        assertThat(
                        RetryOptions.of(
                                Map.of(
                                        "retry.attempts", "3",
                                        "retry.first-pause-ms", "7",
                                        "retry.longest-pause-ms", " 70 ",
                                        "s3.region", "x")))
                .isEqualTo(new RetryOptions(3, 7, 70));
        assertThatThrownBy(() -> RetryOptions.of(Map.of("retry.pause", "1")))
                .hasMessage(
                        "there is no setting retry.pause; there are [retry.attempts,"
                                + " retry.first-pause-ms, retry.longest-pause-ms]");
        assertThatThrownBy(() -> RetryOptions.of(Map.of("retry.attempts", "many")))
                .hasMessage("the setting retry.attempts is a whole number, not \"many\"");
        assertThatThrownBy(() -> RetryOptions.of(Map.of("retry.attempts", "0")))
                .hasMessageContaining("at least 1");
    }

    @Test
    void theDefaultIsWhatItsCommentSays() {
        assertThat(RetryOptions.DEFAULT.attempts()).isEqualTo(6);
        assertThat(RetryOptions.DEFAULT.longestTotalMs()).isEqualTo(6200);
    }
}
