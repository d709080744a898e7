package io.loam.codec.hot;

import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class RowIdSetTest {
    private final Random random = Seeds.random(getClass());

    @Test
    void behavesLikeASetOfUnsignedNumbers() {
        for (int round = 0; round < 200; round++) {
            TreeSet<Long> model = new TreeSet<>(Long::compareUnsigned);
            RowIdSet set = new RowIdSet();
            for (int step = 0; step < 20; step++) {
                long id = anyId();
                int count = random.nextInt(50);
                if (random.nextInt(3) == 0) {
                    for (int i = 0; i < count; i++) {
                        set.remove(id + i);
                        model.remove(id + i);
                    }
                } else {
                    set.addRange(id, count);
                    for (int i = 0; i < count; i++) {
                        model.add(id + i);
                    }
                }
            }
            assertThat(set.toArray()).containsExactly(array(model));
            assertThat(set.count()).isEqualTo(model.size());
            long start = anyId();
            assertThat(set.from(start).toArray())
                    .containsExactly(array(new TreeSet<>(model.tailSet(start, true))));
            assertThat(set.contains(start)).isEqualTo(model.contains(start));
            assertThat(set.countCommon(set.from(start))).isEqualTo(set.from(start).count());
            assertThat(HotCoverageCodec.decode(HotCoverageCodec.encode(set), "x")).isEqualTo(set);
        }
    }

    /** Near the borders of halves, where it matters. */
    private long anyId() {
        long[] borders = {0, 1L << 32, 1L << 33, 1L << 63, -50};
        return borders[random.nextInt(borders.length)] + random.nextInt(100) - 30;
    }

    private static long[] array(TreeSet<Long> ids) {
        return ids.stream().mapToLong(Long::longValue).toArray();
    }
}
