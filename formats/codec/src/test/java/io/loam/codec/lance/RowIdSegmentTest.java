package io.loam.codec.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;

import com.google.protobuf.ByteString;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Ids are found in segments of bits as they are in runs, whatever fragments lie between others. */
class RowIdSegmentTest {
    private static final long BASE = 1L << 40;
    private static final int IDS = 3_000;

    @Provide
    Arbitrary<Long> seeds() {
        return Arbitraries.longs();
    }

    @Property(tries = 200)
    void everyIdIsFoundInItsFragmentAndNoOther(@ForAll("seeds") long seed) {
        Random random = new Random(seed);
        Map<Long, TreeSet<Long>> fragments = fragments(random);
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        LanceRowLocator.Builder ofRuns = new LanceRowLocator.Builder();
        Map<Long, RowAddress> expected = new TreeMap<>();
        fragments.forEach(
                (fragment, ids) -> {
                    ByteString bytes = encoded(ids);
                    builder.addSegments(fragment, RowIdSequence.segments(bytes, ids.size(), "x"));
                    ofRuns.add(fragment, RowIdSequence.decode(bytes, ids.size(), "x"));
                    long row = 0;
                    for (long id : ids) {
                        expected.put(id, new RowAddress(fragment, row++));
                    }
                });
        LanceRowLocator locator = builder.build("x");
        LanceRowLocator same = ofRuns.build("x");
        for (long id = BASE - 2; id < BASE + IDS + 2; id++) {
            assertThat(locator.locate(id).orElse(null)).isEqualTo(expected.get(id));
            assertThat(same.locate(id).orElse(null)).isEqualTo(expected.get(id));
        }
        for (int i = 0; i < 50; i++) {
            long from = BASE - 2 + random.nextInt(IDS);
            int length = random.nextInt(20);
            boolean any = LongStream.range(from, from + length).anyMatch(expected::containsKey);
            assertThat(locator.holdsAnyOf(from, length)).isEqualTo(any);
            assertThat(locator.firstMissing(from, length).orElse(-1L))
                    .isEqualTo(
                            LongStream.range(from, from + length)
                                    .filter(id -> !expected.containsKey(id))
                                    .findFirst()
                                    .orElse(-1));
        }
        fragments.forEach(
                (fragment, ids) ->
                        assertThat(locator.firstRowIds()).containsEntry(fragment, ids.first()));
    }

    @Property(tries = 200)
    void anIdThatTwoFragmentsHaveIsNoticed(@ForAll("seeds") long seed) {
        Random random = new Random(seed);
        Map<Long, TreeSet<Long>> fragments = fragments(random);
        TreeSet<Long> first = fragments.get(0L);
        TreeSet<Long> other = new TreeSet<>(fragments.get(1L));
        long twice = List.copyOf(first).get(random.nextInt(first.size()));
        other.add(twice);
        LanceRowLocator.Builder builder = new LanceRowLocator.Builder();
        builder.addSegments(0, RowIdSequence.segments(encoded(first), first.size(), "x"));
        builder.addSegments(1, RowIdSequence.segments(encoded(other), other.size(), "x"));
        assertThatThrownBy(() -> builder.build("x"))
                .isInstanceOf(CorruptException.class)
                .hasMessage("x: two rows have the id " + twice);
    }

    /** Each id in one of some fragments, or in none; in stretches and one by one. */
    private static Map<Long, TreeSet<Long>> fragments(Random random) {
        int count = 2 + random.nextInt(4);
        double[] change = {0.001, 0.05, 0.6};
        double often = change[random.nextInt(change.length)];
        Map<Long, TreeSet<Long>> fragments = new TreeMap<>();
        for (long fragment = 0; fragment < count; fragment++) {
            TreeSet<Long> ids = new TreeSet<>();
            ids.add(BASE + fragment);
            fragments.put(fragment, ids);
        }
        long current = 0;
        for (long id = BASE + count; id < BASE + IDS; id++) {
            if (random.nextDouble() < often) {
                current = random.nextInt(count + 1);
            }
            if (current < count) {
                fragments.get(current).add(id);
            }
        }
        return fragments;
    }

    private static ByteString encoded(TreeSet<Long> ids) {
        long[] ascending = ids.stream().mapToLong(Long::longValue).toArray();
        return ByteString.copyFrom(RowIdEncoder.encode(RowIdRuns.of(ascending)));
    }

    @Example
    void scatteredIdsAreOneSegment() {
        Random random = new Random(1);
        long[] ids =
                LongStream.range(BASE, BASE + 1_000_000)
                        .filter(id -> random.nextInt(10) > 0)
                        .toArray();
        List<RowIdRange> runs = RowIdRuns.of(ids);
        ByteString bytes = ByteString.copyFrom(RowIdEncoder.encode(runs));
        List<RowIdSegment> segments = RowIdSequence.segments(bytes, ids.length, "x");
        assertThat(segments).hasSizeLessThan(5);
        assertThat(runs).hasSizeGreaterThan(80_000);
        for (int i = 0; i < ids.length; i += 997) {
            long id = ids[i];
            assertThat(segments.stream().mapToLong(segment -> segment.row(id)).max()).hasValue(i);
        }
    }
}
