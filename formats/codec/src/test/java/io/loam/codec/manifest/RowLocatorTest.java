package io.loam.codec.manifest;

import io.loam.codec.Ulid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Left out of manifest-chain.json: retained_chain and merged_ranges, which {@code formats/store}
 * tests.
 */
class RowLocatorTest {
    private static final Golden FILE = Golden.file("manifest-chain.json");
    private static final RowLocator LOCATOR =
            RowLocator.of(
                    FILE.get("row_locator").get("splits").list().stream()
                            .map(ranges -> split(ranges.ranges()))
                            .toList());

    @Test
    void everySectionIsKnown() {
        assertThat(FILE.members().keySet())
                .isEqualTo(
                        Set.of(
                                "provenance",
                                "all",
                                "retained_chain",
                                "row_locator",
                                "row_id_runs",
                                "merged_ranges"));
    }

    static Stream<Golden> lookups() {
        return FILE.get("row_locator").get("lookups").list().stream();
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void rowIdsAreFoundAndFoundBack(Golden lookup) {
        long rowId = lookup.get("row_id").u64();
        Golden place = lookup.get("split_and_doc");
        if (place.isNull()) {
            assertThat(LOCATOR.locate(rowId)).isEmpty();
            return;
        }
        int split = (int) place.list().get(0).u64();
        long doc = place.list().get(1).u64();
        assertThat(LOCATOR.locate(rowId)).contains(new RowLocator.Place(split, doc));
        assertThat(LOCATOR.rowId(split, doc)).hasValue(rowId);
    }

    @Test
    void documentsBeyondASplitHaveNoRow() {
        assertThat(LOCATOR.rowId(0, 5)).isEmpty();
        assertThat(LOCATOR.rowId(2, 1)).isEmpty();
        assertThat(RowLocator.of(List.of(split(List.of()))).rowId(0, 0)).isEmpty();
        assertThat(RowLocator.of(List.of()).locate(7)).isEmpty();
    }

    @Test
    void rowIdsAreUnsigned() {
        RowLocator locator =
                RowLocator.of(
                        List.of(
                                split(List.of(new RowIdRange(-3, -1))),
                                split(List.of(new RowIdRange(Long.MAX_VALUE, Long.MIN_VALUE)))));
        assertThat(locator.locate(-2)).contains(new RowLocator.Place(0, 1));
        assertThat(locator.locate(Long.MAX_VALUE)).contains(new RowLocator.Place(1, 0));
        assertThat(locator.locate(Long.MIN_VALUE)).isEmpty();
        assertThat(locator.locate(-1)).isEmpty();
    }

    static Stream<Golden> runs() {
        return FILE.get("row_id_runs").list().stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void idsBecomeMaximalRuns(Golden run) {
        long[] ids = run.get("ids").list().stream().mapToLong(Golden::u64).toArray();
        assertThat(RowIdRuns.of(ids)).isEqualTo(run.get("runs").ranges());
        assertThat(RowIdRuns.count(RowIdRuns.of(ids))).isEqualTo(ids.length);
    }

    @Test
    void idsMustAscend() {
        assertThatThrownBy(() -> RowIdRuns.of(new long[] {1, 5, 5}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("row ids must ascend: 5 follows 5");
        assertThatThrownBy(() -> RowIdRuns.of(new long[] {-1, 0}))
                .hasMessageContaining("0 follows 18446744073709551615");
    }

    @Test
    void randomSplitsAgreeWithAWalkOverEveryRow() {
        Random random = Seeds.random(getClass());
        for (int round = 0; round < 50; round++) {
            List<List<Long>> rows = randomRows(random);
            RowLocator locator =
                    RowLocator.of(
                            rows.stream()
                                    .map(ids -> ids.stream().mapToLong(Long::longValue).toArray())
                                    .map(ids -> split(RowIdRuns.of(ids)))
                                    .toList());
            for (long id = 0; id < 200; id++) {
                assertThat(locator.locate(id)).isEqualTo(walk(rows, id));
            }
            for (int split = 0; split < rows.size(); split++) {
                for (int doc = 0; doc < rows.get(split).size(); doc++) {
                    assertThat(locator.rowId(split, doc)).hasValue(rows.get(split).get(doc));
                }
            }
        }
    }

    private static List<List<Long>> randomRows(Random random) {
        List<List<Long>> rows = new ArrayList<>();
        IntStream.range(0, 4).forEach(i -> rows.add(new ArrayList<>()));
        for (long id = 0; id < 200; id++) {
            if (random.nextInt(4) > 0) {
                rows.get((int) (id / 20 + random.nextInt(2)) % 4).add(id);
            }
        }
        return rows;
    }

    private static Optional<RowLocator.Place> walk(List<List<Long>> rows, long id) {
        for (int split = 0; split < rows.size(); split++) {
            int doc = rows.get(split).indexOf(id);
            if (doc >= 0) {
                return Optional.of(new RowLocator.Place(split, doc));
            }
        }
        return Optional.empty();
    }

    private static SplitRef split(List<RowIdRange> ranges) {
        return new SplitRef(
                new Ulid(0, 1), RowIdRuns.count(ranges), 0, 0, 0, 0, ranges, "", 0, 0, 0, 0);
    }
}
