package io.loam.store.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.json.Json;
import io.loam.codec.json.JsonValue;
import io.loam.codec.json.JsonValue.JsonArray;
import io.loam.codec.json.JsonValue.JsonBoolean;
import io.loam.codec.json.JsonValue.JsonInteger;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.json.JsonValue.JsonString;
import io.loam.codec.manifest.RowIdRange;
import io.loam.codec.manifest.SplitRef;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.MergePlanner.Level;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every case of {@code merge-policy.json}, and what it leaves open. */
class MergePlannerTest {
    private static final long NOW_MS = 1_000_000_000;
    private static final MergePolicy UNBOUNDED =
            MergePolicy.DEFAULT.withBounds(Long.MAX_VALUE, Long.MAX_VALUE);

    private static Stream<JsonObject> cases(String section) throws IOException {
        return array(file(), section).stream().map(JsonObject.class::cast);
    }

    private static JsonObject file() throws IOException {
        try (InputStream in =
                MergePlannerTest.class.getResourceAsStream("/golden/merge-policy.json")) {
            return Json.parseObject(in.readAllBytes());
        }
    }

    private static List<JsonValue> array(JsonObject object, String member) {
        return ((JsonArray) object.members().get(member)).values();
    }

    private static long number(JsonObject object, String member) {
        return ((JsonInteger) object.members().get(member)).value();
    }

    private static List<Long> numbers(JsonValue array) {
        return ((JsonArray) array)
                .values().stream().map(value -> ((JsonInteger) value).value()).toList();
    }

    private static Ulid ulid(long id) {
        return Ulid.of(1, 0, id);
    }

    private static SplitRef split(long id, long docs, long deleted, long bytes) {
        return split(id, docs, deleted, bytes, 1, NOW_MS);
    }

    private static SplitRef split(
            long id, long docs, long deleted, long bytes, long schema, long createdAtMs) {
        return new SplitRef(
                ulid(id),
                docs,
                deleted,
                bytes,
                bytes,
                bytes,
                List.of(new RowIdRange(id << 32, (id << 32) + docs)),
                deleted == 0 ? "" : "bitmap",
                schema,
                createdAtMs,
                0,
                0);
    }

    private static List<SplitRef> splits(List<Long> docsById) {
        List<SplitRef> splits = new ArrayList<>();
        for (int id = 0; id < docsById.size(); id++) {
            splits.add(split(id, docsById.get(id), 0, 1));
        }
        return splits;
    }

    private static List<List<Ulid>> plans(MergePolicy policy, List<SplitRef> splits) {
        return new MergePlanner(policy)
                .plan(splits, NOW_MS).stream().map(MergeSplits::inputs).toList();
    }

    private static List<Ulid> ulids(List<Long> ids) {
        return ids.stream().map(MergePlannerTest::ulid).toList();
    }

    static Stream<JsonObject> levels() throws IOException {
        return cases("levels");
    }

    @ParameterizedTest
    @MethodSource("levels")
    void cutsLevels(JsonObject expected) {
        List<Level> levels =
                new MergePlanner(MergePolicy.DEFAULT)
                        .levels(numbers(expected.members().get("doc_counts_in_order")));
        assertThat(levels)
                .containsExactlyElementsOf(
                        array(expected, "levels").stream()
                                .map(MergePlannerTest::numbers)
                                .map(
                                        level ->
                                                new Level(
                                                        level.get(0).intValue(),
                                                        level.get(1).intValue()))
                                .toList());
    }

    static Stream<JsonObject> operations() throws IOException {
        return cases("operations");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void planGolden(JsonObject expected) {
        MergePolicy policy = UNBOUNDED;
        if (expected.members().get("policy") instanceof JsonObject given) {
            policy =
                    policy.withFactors(
                                    (int) number(given, "merge_factor"),
                                    (int) number(given, "max_merge_factor"))
                            .withLevels(
                                    number(given, "min_level_num_docs"), number(given, "target"));
        }
        List<List<Ulid>> merges;
        List<SplitRef> splits;
        if (expected.members().get("splits") instanceof JsonObject named) {
            splits = new ArrayList<>();
            named.members()
                    .forEach(
                            (name, docs) ->
                                    splits.add(
                                            split(
                                                    name.charAt(0),
                                                    ((JsonInteger) docs).value(),
                                                    0,
                                                    1)));
            merges =
                    array(expected, "merges").stream()
                            .map(
                                    merge ->
                                            ((JsonArray) merge)
                                                    .values().stream()
                                                            .map(JsonString.class::cast)
                                                            .map(name -> name.value().charAt(0))
                                                            .map(MergePlannerTest::ulid)
                                                            .toList())
                            .toList();
        } else {
            splits = splits(numbers(expected.members().get("doc_counts_by_split_id")));
            merges =
                    array(expected, "merges").stream()
                            .map(MergePlannerTest::numbers)
                            .map(MergePlannerTest::ulids)
                            .toList();
        }
        assertThat(plans(policy, splits)).containsExactlyElementsOf(merges);
        List<SplitRef> shuffled = new ArrayList<>(splits);
        Collections.shuffle(shuffled, new Random(5));
        assertThat(plans(policy, shuffled)).containsExactlyElementsOf(merges);
    }

    static Stream<JsonObject> bounding() throws IOException {
        return cases("bounding");
    }

    @ParameterizedTest
    @MethodSource("bounding")
    void boundsGolden(JsonObject expected) {
        List<SplitRef> candidate =
                array(expected, "splits").stream()
                        .map(JsonObject.class::cast)
                        .map(
                                split ->
                                        split(
                                                number(split, "id"),
                                                number(split, "live_docs"),
                                                0,
                                                number(split, "size_bytes")))
                        .toList();
        MergePolicy policy =
                MergePolicy.DEFAULT.withBounds(
                        number(expected, "max_merge_docs"), number(expected, "max_merge_bytes"));
        assertThat(new MergePlanner(policy).bound(candidate))
                .extracting(SplitRef::ulid)
                .containsExactlyInAnyOrderElementsOf(
                        ulids(numbers(expected.members().get("inputs"))));
    }

    @Test
    void maturityGolden() throws IOException {
        JsonObject expected = (JsonObject) file().members().get("maturity");
        long createdAtMs = number(expected, "created_at_ms");
        MergePolicy policy = UNBOUNDED.withFactors(3, 5).withLevels(10, 10_000);
        List<SplitRef> splits =
                Stream.of(0, 1, 2).map(id -> split(id, 20, 0, 1, 1, createdAtMs)).toList();
        for (JsonValue at : array(expected, "plans_at")) {
            long nowMs = number((JsonObject) at, "now_ms");
            assertThat(new MergePlanner(policy).plan(splits, nowMs))
                    .as("at %d", nowMs)
                    .hasSize((int) number((JsonObject) at, "plans"));
        }
    }

    static Stream<JsonObject> purge() throws IOException {
        return cases("purge");
    }

    @ParameterizedTest
    @MethodSource("purge")
    void purgesGolden(JsonObject expected) {
        MergePolicy policy =
                MergePolicy.DEFAULT.withPurge(
                        number(expected, "purge_min_deleted"),
                        number(expected, "purge_deleted_ppm"));
        SplitRef split = split(7, number(expected, "doc_count"), number(expected, "deleted"), 1000);
        boolean purged = ((JsonBoolean) expected.members().get("purged")).value();
        assertThat(plans(policy, List.of(split)))
                .isEqualTo(purged ? List.of(List.of(ulid(7))) : List.of());
    }

    @Test
    void mergesOnlySplitsOfOneSchema() {
        MergePolicy policy = UNBOUNDED.withFactors(2, 5).withLevels(10, 10_000);
        List<SplitRef> splits =
                List.of(
                        split(1, 5, 0, 1, 2, NOW_MS),
                        split(2, 5, 0, 1, 1, NOW_MS),
                        split(3, 5, 0, 1, 2, NOW_MS),
                        split(4, 5, 0, 1, 1, NOW_MS),
                        split(5, 5, 0, 1, 3, NOW_MS));
        assertThat(plans(policy, splits))
                .containsExactly(List.of(ulid(1), ulid(3)), List.of(ulid(2), ulid(4)));
    }

    @Test
    void purgesMatureSplitsAndThoseThatBoundsLeaveOut() {
        MergePolicy policy =
                UNBOUNDED
                        .withFactors(2, 5)
                        .withLevels(10, 10_000)
                        .withBounds(100, Long.MAX_VALUE)
                        .withPurge(1, 300_000);
        List<SplitRef> splits =
                List.of(
                        split(1, 100, 30, 1, 1, 0), // mature by age
                        split(2, 90, 30, 1, 1, NOW_MS), // 60 live; 60 + 80 pass the bound
                        split(3, 80, 0, 1, 1, NOW_MS),
                        split(4, 200, 59, 1, 1, 0)); // mature, but too little is deleted
        assertThat(plans(policy, splits)).containsExactly(List.of(ulid(1)), List.of(ulid(2)));
    }

    @Test
    void splitsThatFitWithNoOtherKeepNoSmallerOnesFromBeingMerged() {
        MergePolicy byDocs =
                UNBOUNDED.withFactors(2, 2).withLevels(100, 10_000).withBounds(100, Long.MAX_VALUE);
        assertThat(plans(byDocs, splits(List.of(60L, 9L, 8L, 70L, 95L))))
                .as("70 and 95 are too many, and so are 60 and 70; 9 and 60 fit")
                .containsExactly(List.of(ulid(0), ulid(1)));
        MergePolicy byBytes = UNBOUNDED.withFactors(2, 2).withBounds(Long.MAX_VALUE, 1_000);
        assertThat(
                        plans(
                                byBytes,
                                List.of(
                                        split(1, 50, 0, 600),
                                        split(2, 60, 0, 700),
                                        split(3, 5, 0, 40),
                                        split(4, 6, 0, 50))))
                .as("600 and 700 are too many bytes, and 50 documents of 600 bytes and 6 fit")
                .containsExactly(List.of(ulid(1), ulid(4)));
    }

    @Test
    void splitsThatAreOldBeforeThereAreEnoughAreMergedOnceOneMergeIsFull() {
        List<SplitRef> old = new ArrayList<>();
        for (int id = 0; id < 11; id++) {
            old.add(split(id, 10, 0, 1, 1, 0));
        }
        assertThat(plans(MergePolicy.DEFAULT, old)).isEmpty();
        old.add(split(11, 10, 0, 1, 1, 0));
        assertThat(plans(MergePolicy.DEFAULT, old)).singleElement().asList().hasSize(12);
        List<SplitRef> large =
                Stream.of(20, 21, 22).map(id -> split(id, 10_000_000, 0, 1, 1, 0)).toList();
        assertThat(plans(UNBOUNDED, large)).as("large ones are done").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 60, 24 * 60, 7 * 24 * 60})
    void splitsStayFewHoweverSeldomCommitsAre(int minutes) {
        MergePlanner planner = new MergePlanner(MergePolicy.DEFAULT);
        List<SplitRef> splits = new ArrayList<>();
        int most = 0;
        for (int commit = 0; commit < 5_000; commit++) {
            long nowMs = (commit + 1L) * minutes * 60_000;
            splits.add(split(commit, 10 + commit % 5, 0, 1, 1, nowMs));
            for (MergeSplits merge : planner.plan(splits, nowMs)) {
                long docs =
                        splits.stream()
                                .filter(split -> merge.inputs().contains(split.ulid()))
                                .mapToLong(SplitRef::liveCount)
                                .sum();
                splits.removeIf(split -> merge.inputs().contains(split.ulid()));
                splits.add(split(1_000_000 + commit, docs, 0, 1, 1, nowMs));
            }
            most = Math.max(most, splits.size());
        }
        assertThat(most)
                .as("one level of young ones, one of old ones")
                .isLessThanOrEqualTo(
                        MergePolicy.DEFAULT.mergeFactor() + MergePolicy.DEFAULT.maxMergeFactor());
    }

    @Test
    void namesNoSplitTwiceWhateverTheSplits() {
        Random random = new Random(11);
        MergePolicy policy =
                UNBOUNDED
                        .withFactors(3, 6)
                        .withLevels(20, 5_000)
                        .withBounds(4_000, 4_000)
                        .withPurge(1, 200_000);
        for (int round = 0; round < 300; round++) {
            List<SplitRef> splits = new ArrayList<>();
            for (int id = 0; id < random.nextInt(60); id++) {
                long docs = 1 + random.nextInt(1 << random.nextInt(13));
                splits.add(
                        split(
                                id,
                                docs,
                                random.nextInt((int) docs),
                                docs,
                                1 + random.nextInt(2),
                                NOW_MS - random.nextInt(3) * 86_400_000L));
            }
            List<List<Ulid>> plans = plans(policy, splits);
            assertThat(plans.stream().flatMap(List::stream)).doesNotHaveDuplicates();
            assertThat(plans)
                    .isSortedAccordingTo(Comparator.comparing(plan -> plan.get(0)))
                    .allSatisfy(plan -> assertThat(plan).hasSizeLessThanOrEqualTo(6));
        }
    }

    @Test
    void doesNothingWhenItIsOff() {
        MergePolicy policy = UNBOUNDED.withFactors(2, 5).withEnabled(false);
        assertThat(plans(policy, splits(List.of(5L, 5L)))).isEmpty();
    }

    @Test
    void refusesFactorsThatCannotBe() {
        assertThatThrownBy(() -> MergePolicy.DEFAULT.withFactors(1, 5))
                .hasMessage("the merge factor must be at least 2, not 1");
        assertThatThrownBy(() -> MergePolicy.DEFAULT.withFactors(5, 4))
                .hasMessage("the largest merge factor must be at least 5, not 4");
    }

    @Test
    void settingsAreReadOrRefusedByName() {
        assertThat(
                        MergePolicy.DEFAULT.with(
                                Map.of("factor", "3", "max-factor", "7", "target-docs", "100")))
                .isEqualTo(MergePolicy.DEFAULT.withFactors(3, 7).withLevels(100_000, 100));
        assertThat(MergePolicy.DEFAULT.with(Map.of("enabled", "false")).enabled()).isFalse();
        assertThatThrownBy(() -> MergePolicy.DEFAULT.with(Map.of("faktor", "3")))
                .hasMessageStartingWith("there is no merge setting faktor; there are [enabled, ");
        assertThatThrownBy(() -> MergePolicy.DEFAULT.with(Map.of("factor", "ten")))
                .hasMessage("the merge setting factor must be a whole number, not ten");
        assertThatThrownBy(() -> MergePolicy.DEFAULT.with(Map.of("enabled", "yes")))
                .hasMessage("the merge setting enabled must be true or false, not yes");
    }
}
