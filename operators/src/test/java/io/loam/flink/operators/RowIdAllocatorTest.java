package io.loam.flink.operators;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RowIdAllocatorTest {
    @ParameterizedTest
    @CsvSource({
        "1, 0, 0x0000000000000000",
        "2, 1, 0x0000000080000000",
        "3, 1, 0x0000000040000000",
        "3, 2, 0x0000000080000000",
        "4, 3, 0x00000000C0000000",
        "5, 4, 0x0000000080000000"
    })
    void lanesArePowersOfTwo(int parallelism, int lane, String first) {
        RowIdAllocator ids = new RowIdAllocator(0, lane, parallelism, 0);
        assertThat(ids.next()).isEqualTo(Long.decode(first));
    }

    @Test
    void countsWithinAnArenaAndStartsOverInTheNext() {
        RowIdAllocator ids = new RowIdAllocator(1000, 1, 2, 5);
        long start = 1000 + (5L << 32) + (1L << 31);
        assertThat(ids.next()).isEqualTo(start);
        assertThat(ids.next()).isEqualTo(start + 1);
        ids.enter(7);
        assertThat(ids.next()).isEqualTo(1000 + (7L << 32) + (1L << 31));
    }

    @Test
    void lettersCountDownFromTheEndOfTheLane() {
        RowIdAllocator ids = new RowIdAllocator(1000, 0, 2, 5);
        long start = 1000 + (5L << 32);
        assertThat(ids.nextLetter()).isEqualTo(start + (1L << 31) - 1);
        assertThat(ids.next()).isEqualTo(start);
        assertThat(ids.nextLetter()).isEqualTo(start + (1L << 31) - 2);
        ids.enter(6);
        assertThat(ids.nextLetter()).isEqualTo(1000 + (6L << 32) + (1L << 31) - 1);
    }

    @Test
    void inBatchAFullLaneGoesOnInTheNextArena() {
        int lanesOfFour = 1 << 30;
        RowIdAllocator ids = new RowIdAllocator(1000, 1, lanesOfFour, 5, true);
        ids.reserve(2);
        assertThat(ids.next()).isEqualTo(1000 + (5L << 32) + 4);
        ids.nextLetter();
        ids.reserve(2);
        assertThat(ids.next()).isEqualTo(1000 + (5L << 32) + 5);
        ids.reserve(2);
        assertThat(ids.next()).isEqualTo(1000 + (6L << 32) + 4);
        assertThat(ids.next()).isEqualTo(1000 + (6L << 32) + 5);
        RowIdAllocator streaming = new RowIdAllocator(1000, 1, lanesOfFour, 5);
        streaming.reserve(5);
        for (int i = 0; i < 4; i++) {
            streaming.next();
        }
        assertThatThrownBy(streaming::next).hasMessageContaining("checkpoint more often");
    }

    @Test
    void anArenaIsNeverEnteredAgain() {
        RowIdAllocator ids = new RowIdAllocator(0, 0, 1, 5);
        ids.next();
        ids.enter(5);
        ids.enter(4);
        assertThat(ids.next()).isEqualTo((5L << 32) + 1);
    }

    @Test
    void aFullLaneSaysWhatToDo() {
        int parallelism = 1 << 30;
        RowIdAllocator ids = new RowIdAllocator(0, 0, parallelism, 0);
        for (int i = 0; i < 4; i++) {
            ids.next();
        }
        assertThatThrownBy(ids::next)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all 4 row ids")
                .hasMessageContaining("checkpoint more often");
    }

    @Test
    void lanesExist() {
        assertThatThrownBy(() -> new RowIdAllocator(0, 2, 2, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lane 2 of 2 does not exist");
    }
}
