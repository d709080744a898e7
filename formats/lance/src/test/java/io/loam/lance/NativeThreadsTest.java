package io.loam.lance;

import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class NativeThreadsTest {
    @Test
    void countsAsLanceDoes() {
        assertThat(NativeThreads.count(Map.of(), 1)).isEqualTo(1);
        assertThat(NativeThreads.count(Map.of(), 3)).isEqualTo(1);
        assertThat(NativeThreads.count(Map.of(), 4)).isEqualTo(2);
        assertThat(NativeThreads.count(Map.of("LANCE_CPU_THREADS", "2"), 1)).isEqualTo(2);
        assertThat(NativeThreads.count(Map.of("LANCE_CPU_THREADS", "1"), 64)).isEqualTo(1);
        assertThat(NativeThreads.count(Map.of("LANCE_IO_CORE_RESERVATION", "1"), 3)).isEqualTo(2);
    }

    @Test
    void testsHaveEnough() {
        assertThat(NativeThreads.suffice()).isTrue();
    }
}
