package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.util.Arrays;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LanceDeletionsTest {
    private static final int DAMAGED = 5000;
    private static final int ROWS = 300_000;

    @Test
    void readsBackEveryKindOfContainer() {
        RoaringBitmap rows = containers();
        byte[] file = LanceDeletions.encode(rows);
        assertThat(LanceDeletions.decode(file, rows.getLongCardinality(), ROWS, "d"))
                .isEqualTo(rows);
        assertThat(LanceDeletions.decode(LanceDeletions.encode(new RoaringBitmap()), 0, 0, "d"))
                .isEqualTo(new RoaringBitmap());
    }

    @Test
    void offsetsAreUnsigned() {
        byte[] last = LanceDeletions.encode(RoaringBitmap.bitmapOf(-1));
        assertThat(LanceDeletions.decode(last, 1, 1L << 32, "d").contains(-1)).isTrue();
        assertThatThrownBy(() -> LanceDeletions.decode(last, 1, (1L << 32) - 1, "d"))
                .isInstanceOf(CorruptException.class);
    }

    @Test
    void bytesAfterTheBitmapAreCorrupt() {
        byte[] file = LanceDeletions.encode(RoaringBitmap.bitmapOf(1, 6));
        assertThatThrownBy(
                        () ->
                                LanceDeletions.decode(
                                        Arrays.copyOf(file, file.length + 1), 2, 7, "d"))
                .isInstanceOf(CorruptException.class)
                .hasMessageStartingWith("d: ");
    }

    @Test
    void damagedFilesAreReadOrCorrupt() {
        Random random = Seeds.random(LanceDeletionsTest.class);
        RoaringBitmap rows = containers();
        byte[] good = LanceDeletions.encode(rows);
        for (int i = 0; i < DAMAGED; i++) {
            byte[] bad = good.clone();
            if (i % 3 == 0) {
                bad = new byte[random.nextInt(64)];
                random.nextBytes(bad);
            } else if (i % 3 == 1) {
                bad = Arrays.copyOf(bad, random.nextInt(bad.length));
            } else {
                bad[random.nextInt(Math.min(64, bad.length))] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                RoaringBitmap read =
                        LanceDeletions.decode(bad, rows.getLongCardinality(), ROWS, "bad");
                assertThat(read.stream().count()).isEqualTo(rows.getLongCardinality());
            } catch (CorruptException expected) {
                assertThat(expected).hasMessageStartingWith("bad: ");
            }
        }
    }

    /** An array, bits and runs. */
    private static RoaringBitmap containers() {
        RoaringBitmap rows = RoaringBitmap.bitmapOf(3, 70, 4000);
        for (int i = 0; i < 30_000; i++) {
            rows.add((1 << 16) + 2 * i);
        }
        rows.add(2L << 16, (2L << 16) + 50_000);
        rows.runOptimize();
        return rows;
    }
}
