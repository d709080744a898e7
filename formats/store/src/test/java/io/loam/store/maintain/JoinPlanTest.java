package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class JoinPlanTest {
    private static SplitRef split(long ulid, long... bounds) {
        List<RowIdRange> ranges =
                Stream.iterate(0, i -> i < bounds.length, i -> i + 2)
                        .map(i -> new RowIdRange(bounds[i], bounds[i + 1]))
                        .toList();
        long docs = ranges.stream().mapToLong(RowIdRange::length).sum();
        return new SplitRef(Ulid.of(1, 0, ulid), docs, 0, 9, 5, 9, ranges, "", 1, 1, 0, 0);
    }

    private static boolean canJoin(SplitRef... splits) {
        List<RoaringBitmap> none = Stream.of(splits).map(split -> new RoaringBitmap()).toList();
        return JoinPlan.of(List.of(splits), none).isPresent();
    }

    @Test
    void splitsAreJoinedInTheOrderOfTheirRows() {
        SplitRef late = split(1, 50, 60, 70, 80);
        SplitRef early = split(2, 10, 20);
        SplitRef last = split(3, -5, -1); // row ids are unsigned
        List<RoaringBitmap> none =
                List.of(new RoaringBitmap(), new RoaringBitmap(), new RoaringBitmap());
        assertThat(JoinPlan.of(List.of(last, late, early), none).orElseThrow().inputs())
                .containsExactly(early, late, last);
    }

    @Test
    void splitsWhoseRowsInterleaveAreNot() {
        assertThat(canJoin(split(1, 10, 20), split(2, 20, 30))).isTrue();
        assertThat(canJoin(split(1, 10, 20, 30, 40), split(2, 20, 30))).isFalse();
        assertThat(canJoin(split(1, 10, 20), split(2, 19, 30))).isFalse();
        assertThat(canJoin(split(1, 10, 40), split(2, 20, 30))).isFalse();
        assertThat(canJoin(split(1, 10, 20))).isFalse();
    }

    @Test
    void deletedDocumentsMustBeIndexedAway() {
        List<SplitRef> splits = List.of(split(1, 10, 20), split(2, 20, 30));
        assertThat(JoinPlan.of(splits, List.of(new RoaringBitmap(), RoaringBitmap.bitmapOf(3))))
                .isEmpty();
    }

    @Test
    void samplesHoldTheFirstAndTheLastDocumentOfEachSplit() {
        List<SplitRef> splits = List.of(split(1, 10, 12, 15, 115), split(2, 200, 201));
        List<JoinPlan.Sample> sample = new JoinPlan(splits).sample();
        assertThat(sample)
                .contains(
                        new JoinPlan.Sample(0, 10),
                        new JoinPlan.Sample(101, 114),
                        new JoinPlan.Sample(102, 200))
                .doesNotHaveDuplicates()
                .hasSize(17)
                .allSatisfy(
                        one -> {
                            if (one.doc() >= 2 && one.doc() < 102) {
                                assertThat(one.rowId()).isEqualTo(13 + one.doc());
                            }
                        });
    }
}
