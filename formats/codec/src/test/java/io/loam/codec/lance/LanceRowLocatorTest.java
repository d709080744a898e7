package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.RowIdSequence.Run;
import io.loam.codec.manifest.Seeds;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LanceRowLocatorTest {
    private static final int ROUNDS = 200;

    @Test
    void findsTheRowsOfANaiveModel() {
        Random random = Seeds.random(LanceRowLocatorTest.class);
        for (int round = 0; round < ROUNDS; round++) {
            Map<Long, RowAddress> model = new HashMap<>();
            // Ids on both sides of the sign bit: they are unsigned.
            long first = Long.MAX_VALUE - random.nextInt(200);
            LanceRowLocator locator = locator(random, first, model);
            for (long id = first - 3; id != first + 403; id++) {
                assertThat(locator.locate(id)).isEqualTo(Optional.ofNullable(model.get(id)));
            }
        }
    }

    /** Runs with gaps, dealt to fragments in any order. */
    private static LanceRowLocator locator(Random random, long first, Map<Long, RowAddress> model) {
        List<long[]> ranges = new ArrayList<>();
        long from = first;
        while (from < first + 400 && ranges.size() < 40) {
            long length = 1 + random.nextInt(9);
            ranges.add(new long[] {from, length});
            from += length + random.nextInt(4);
        }
        Collections.shuffle(ranges, random);
        Map<Long, List<Run>> fragments = new HashMap<>();
        Map<Long, Long> rows = new HashMap<>();
        for (long[] range : ranges) {
            long fragment = random.nextInt(5);
            long offset = rows.getOrDefault(fragment, 0L);
            fragments
                    .computeIfAbsent(fragment, id -> new ArrayList<>())
                    .add(new Run(range[0], range[1], offset));
            for (int i = 0; i < range[1]; i++) {
                model.put(range[0] + i, new RowAddress(fragment, offset + i));
            }
            rows.put(fragment, offset + range[1]);
        }
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        fragments.forEach(builder::add);
        return builder.build("test");
    }

    @Test
    void refusesTwoRowsWithOneId() {
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        builder.add(1, List.of(new Run(10, 5, 0)));
        builder.add(2, List.of(new Run(14, 2, 0)));
        assertThatThrownBy(() -> builder.build("m"))
                .isInstanceOf(CorruptException.class)
                .hasMessage("m: two rows have the id 14");
    }
}
