package io.loam.store.maintain;

import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** How many ranges merged splits have after scattered deletes, and what it costs. */
class HoleFillingTest {

    private static List<RowIdRange> scattered(long rows, double deleted, Random random) {
        List<RowIdRange> live = new ArrayList<>();
        long start = -1;
        for (long row = 0; row <= rows; row++) {
            boolean there = row < rows && random.nextDouble() >= deleted;
            if (there && start < 0) {
                start = row;
            } else if (!there && start >= 0) {
                live.add(new RowIdRange(start, row));
                start = -1;
            }
        }
        return live;
    }

    private static void requireSound(
            List<RowIdRange> filled, List<RowIdRange> live, List<RowIdRange> owned) {
        int at = 0;
        int own = 0;
        for (RowIdRange range : filled) {
            assertThat(range.start()).isEqualTo(live.get(at).start());
            while (live.get(at).end() != range.end()) {
                at++;
            }
            at++;
            while (owned.get(own).end() < range.start()) {
                own++;
            }
            assertThat(range.end()).isLessThanOrEqualTo(owned.get(own).end());
        }
        assertThat(at).isEqualTo(live.size());
    }

    @Test
    void fewRangesStayAsTheyAre() {
        List<RowIdRange> live = new ArrayList<>();
        for (long i = 0; i < HoleFilling.FEW_RANGES; i++) {
            live.add(new RowIdRange(10 * i, 10 * i + 9));
        }
        assertThat(HoleFilling.fill(live, List.of(new RowIdRange(0, 10_000)))).isSameAs(live);
        assertThat(HoleFilling.fill(List.of(), List.of())).isEmpty();
    }

    @Test
    void shortHolesAreFilledBeforeLongOnes() {
        List<RowIdRange> live = new ArrayList<>();
        long row = 0;
        for (int i = 0; i < 100; i++) {
            live.add(new RowIdRange(row, row + 50));
            row += 50 + (i % 2 == 0 ? 3 : 200);
        }
        List<RowIdRange> owned = List.of(new RowIdRange(0, row));
        List<RowIdRange> filled = HoleFilling.fill(live, owned);
        requireSound(filled, live, owned);
        assertThat(filled).hasSize(50).allMatch(range -> range.length() == 103);
    }

    @Test
    void rowsOfOtherSplitsAreNotFilled() {
        List<RowIdRange> live = new ArrayList<>();
        List<RowIdRange> owned = new ArrayList<>();
        for (long i = 0; i < 200; i++) {
            live.add(new RowIdRange(10 * i, 10 * i + 8));
            owned.add(new RowIdRange(10 * i, 10 * i + 9)); // the last row is somebody else's
        }
        assertThat(HoleFilling.fill(live, owned)).isEqualTo(live);
    }

    @Test
    void randomHolesAreFilledSoundly() {
        Random random = new Random(1);
        for (int round = 0; round < 100; round++) {
            List<RowIdRange> live =
                    scattered(2_000 + random.nextInt(3_000), random.nextDouble(), random);
            List<RowIdRange> owned = new ArrayList<>();
            for (RowIdRange range : live) {
                int last = owned.size() - 1;
                if (last >= 0 && random.nextInt(10) > 0) {
                    owned.set(last, new RowIdRange(owned.get(last).start(), range.end()));
                } else {
                    owned.add(range);
                }
            }
            requireSound(HoleFilling.fill(live, owned), live, owned);
        }
    }

    /** Of uniform deletes, up to the share at which a split has been purged several times over. */
    @ParameterizedTest
    @CsvSource({"0.05", "0.1", "0.3", "0.5", "0.7", "0.75"})
    void scatteredDeletesCostOneRangeFor4096Documents(double deleted) {
        long rows = 1_000_000;
        List<RowIdRange> live = scattered(rows, deleted, new Random(2));
        List<RowIdRange> owned = List.of(new RowIdRange(0, rows));
        List<RowIdRange> filled = HoleFilling.fill(live, owned);
        requireSound(filled, live, owned);
        long docs = RowIdRuns.count(live);
        long placeholders = RowIdRuns.count(filled) - docs;
        System.out.printf(
                "%.0f %% of %d rows deleted: %d ranges -> %d, %.3f placeholders a document%n",
                100 * deleted, rows, live.size(), filled.size(), (double) placeholders / docs);
        assertThat(placeholders).isLessThanOrEqualTo(HoleFilling.MOST_PLACEHOLDERS_PER_DOC * docs);
        assertThat(filled.size())
                .isLessThanOrEqualTo(
                        (int) Math.max(HoleFilling.FEW_RANGES, docs / HoleFilling.DOCS_PER_RANGE));
    }

    /**
     * Where hardly a row is left, placeholders are not worth it any more, and ranges grow again.
     */
    @Test
    void placeholdersHaveAnEnd() {
        List<RowIdRange> live = scattered(1_000_000, 0.95, new Random(3));
        List<RowIdRange> filled = HoleFilling.fill(live, List.of(new RowIdRange(0, 1_000_000)));
        long docs = RowIdRuns.count(live);
        long placeholders = RowIdRuns.count(filled) - docs;
        System.out.printf(
                "95 %% of 1000000 rows deleted: %d ranges -> %d, %.3f placeholders a document%n",
                live.size(), filled.size(), (double) placeholders / docs);
        assertThat(placeholders).isBetween(docs, HoleFilling.MOST_PLACEHOLDERS_PER_DOC * docs);
        assertThat(filled.size()).isLessThan(live.size());
    }
}
