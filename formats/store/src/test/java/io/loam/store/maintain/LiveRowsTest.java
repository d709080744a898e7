package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.RowIdRuns;
import io.loam.codec.manifest.RowLocator;
import io.loam.codec.manifest.SplitRef;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code merged_ranges} of {@code manifest-chain.json}, and splits that interleave. */
class LiveRowsTest {
    private static SplitRef split(List<RowIdRange> ranges) {
        return new SplitRef(
                new Ulid(0, 1), RowIdRuns.count(ranges), 0, 1, 0, 1, ranges, "", 1, 0, 0, 0);
    }

    private static List<RowIdRange> ranges(JsonArray array) {
        return array.values().stream()
                .map(JsonArray.class::cast)
                .map(
                        range ->
                                new RowIdRange(
                                        ((JsonInteger) range.values().get(0)).value(),
                                        ((JsonInteger) range.values().get(1)).value()))
                .toList();
    }

    private static List<Long> ids(LiveRows rows, int most) {
        List<Long> ids = new ArrayList<>();
        rows.forEachChunk(
                most,
                chunk -> {
                    assertThat(chunk.length).isBetween(1, most);
                    for (long id : chunk) {
                        ids.add(id);
                    }
                });
        return ids;
    }

    @Test
    void golden() throws IOException {
        JsonObject expected;
        try (InputStream in =
                LiveRowsTest.class.getResourceAsStream("/golden/manifest-chain.json")) {
            expected =
                    (JsonObject) Json.parseObject(in.readAllBytes()).members().get("merged_ranges");
        }
        List<SplitRef> splits =
                ((JsonArray) expected.members().get("inputs"))
                        .values().stream().map(value -> split(ranges((JsonArray) value))).toList();
        List<RoaringBitmap> deleted = splits.stream().map(split -> new RoaringBitmap()).toList();
        RowLocator locator = RowLocator.of(splits);
        ((JsonArray) expected.members().get("deleted_rows"))
                .values().stream()
                        .map(row -> locator.locate(((JsonInteger) row).value()).orElseThrow())
                        .forEach(place -> deleted.get(place.split()).add((int) place.doc()));

        LiveRows rows = LiveRows.of(splits, deleted);

        assertThat(rows.ranges()).isEqualTo(ranges((JsonArray) expected.members().get("merged")));
        assertThat(rows.count())
                .isEqualTo(((JsonInteger) expected.members().get("doc_count")).value());
        assertThat(ids(rows, 3)).hasSize(28).isSorted();
    }

    @Test
    void randomSplitsGiveTheirLiveRows() {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            List<List<RowIdRange>> ranges = new ArrayList<>();
            List<RoaringBitmap> deleted = new ArrayList<>();
            TreeSet<Long> expected = new TreeSet<>();
            int splits = 1 + random.nextInt(4);
            for (int split = 0; split < splits; split++) {
                ranges.add(new ArrayList<>());
                deleted.add(new RoaringBitmap());
            }
            long[] docs = new long[splits];
            long row = random.nextInt(10);
            for (int piece = random.nextInt(20); piece > 0; piece--) {
                int split = random.nextInt(splits);
                long end = row + 1 + random.nextInt(9);
                ranges.get(split).add(new RowIdRange(row, end));
                for (; row < end; row++, docs[split]++) {
                    if (random.nextInt(3) == 0) {
                        deleted.get(split).add((int) docs[split]);
                    } else {
                        expected.add(row);
                    }
                }
                row += random.nextInt(3);
            }

            LiveRows rows = LiveRows.of(ranges.stream().map(LiveRowsTest::split).toList(), deleted);

            assertThat(ids(rows, 1 + random.nextInt(7))).containsExactlyElementsOf(expected);
            assertThat(rows.ranges())
                    .isEqualTo(
                            RowIdRuns.of(expected.stream().mapToLong(Long::longValue).toArray()));
        }
    }
}
