package io.loam.codec;

import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RoaringFormatTest {

    @Test
    void randomBitmapsComeBackWithRunsAndWithout() {
        Random random = Seeds.random(getClass());
        for (int round = 0; round < 200; round++) {
            RoaringBitmap bitmap = randomBitmap(random);
            byte[] bytes = RoaringFormat.encode(bitmap);
            byte[] shifted = new byte[bytes.length + 5];
            System.arraycopy(bytes, 0, shifted, 5, bytes.length);
            assertThat(RoaringFormat.decode(shifted, 5, "x")).isEqualTo(bitmap);
        }
    }

    @Test
    void damagedBitmapsAreRefusedOrReadCleanly() {
        Random random = Seeds.random(getClass());
        for (int round = 0; round < 200; round++) {
            byte[] bytes = RoaringFormat.encode(randomBitmap(random));
            for (int i = 0; i < 50; i++) {
                byte[] damaged =
                        random.nextInt(4) == 0
                                ? Arrays.copyOf(bytes, random.nextInt(bytes.length))
                                : bytes.clone();
                if (damaged.length > 0) {
                    damaged[random.nextInt(Math.min(damaged.length, 64))] ^=
                            (byte) (1 << random.nextInt(8));
                }
                assertReadableOrCorrupt(damaged);
            }
        }
    }

    /** Whatever is accepted must be a bitmap that the library itself considers well-formed. */
    private static void assertReadableOrCorrupt(byte[] bytes) {
        RoaringBitmap bitmap;
        try {
            bitmap = RoaringFormat.decode(bytes, 0, "x");
        } catch (CorruptException e) {
            assertThat(e).hasMessageStartingWith("x: roaring bitmap: ");
            return;
        }
        RoaringBitmap again = new RoaringBitmap();
        int count = 0;
        for (int id : bitmap) {
            again.add(id);
            count++;
        }
        assertThat(count).isEqualTo(bitmap.getCardinality());
        assertThat(again).isEqualTo(bitmap);
    }

    @Test
    void lengthsAreNotTrusted() {
        corrupt("", "bytes for the cookie: found 0, expected at least 4");
        corrupt("01020304", "cookie: found 67305985, expected 12346 or 12347");
        corrupt("3a300000", "bytes for the container count: found 0, expected at least 4");
        corrupt("3a300000ffffffff", "containers: found 4294967295, expected at most 65536");
        corrupt("3a30000000000100", "bytes for the headers: found 0, expected at least 262144");
        corrupt("3b30ffff", "bytes for the run flags: found 0, expected at least 8192");
    }

    @Test
    void containersAreChecked() {
        String head = "3a30000001000000";
        String at16 = "10000000";
        corrupt(head + "00000100" + at16 + "0500", "bytes for an array container");
        corrupt(head + "00000100" + at16 + "05000500", "value in container 0: found 5");
        corrupt(head + "00000100" + "11000000" + "05000600", "offset of container 0: found 17");
        corrupt(head + "00000100" + at16 + "0500060000", "bytes after the bitmap: found 1");
        corrupt(head + "00000010" + at16 + "00".repeat(8192), "values of container 0: found 0");
        String two = "3a300000020000000000000000000000";
        corrupt(two + "1800000018000000" + "0500" + "0500", "container key: found 0");
        String runs = "3b30000001" + "00000400" + "0200";
        corrupt(runs + "05000100" + "06000100", "run in container 0: found 6..7");
        corrupt(runs + "0500ffff" + "06000100", "run in container 0: found 5..65540");
        corrupt(runs + "05000100" + "09000100", "values of container 0: found 4, expected 5");
    }

    private static void corrupt(String hex, String message) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> RoaringFormat.decode(bytes, 0, "x"))
                .isInstanceOf(CorruptException.class)
                .hasMessageContaining("roaring bitmap: " + message);
    }

    private static RoaringBitmap randomBitmap(Random random) {
        RoaringBitmap bitmap = new RoaringBitmap();
        int containers = random.nextInt(6);
        for (int i = 0; i < containers; i++) {
            long start = Integer.toUnsignedLong(random.nextInt(10) << 16 | random.nextInt(3) << 30);
            int ids = 1 + random.nextInt(random.nextBoolean() ? 20 : 6000);
            if (random.nextBoolean()) {
                bitmap.add(start + random.nextInt(1000), start + 1000 + ids);
            } else {
                for (int id = 0; id < ids; id++) {
                    bitmap.add((int) start + random.nextInt(1 << 16));
                }
            }
        }
        if (random.nextBoolean()) {
            bitmap.runOptimize();
        }
        return bitmap;
    }
}
