package io.loam.jobs.maintain;

import io.loam.codec.Ulid;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.SplitRef;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.testing.Campaign;
import io.loam.store.history.History;
import io.loam.store.history.HistoryRow;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.FinishedWork;
import io.loam.store.maintain.FinishedWork.MergedSplits;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceOutcome;
import io.loam.store.maintain.MaintenancePlanner;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.maintain.MaintenanceTask;
import io.loam.store.maintain.MaintenanceTask.MergeSplits;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.maintain.RoundReport;
import io.loam.store.query.QueryParser;
import io.loam.store.read.CollectionReader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Many small commits and merges between them, with Lance and Tantivy. */
class MergeITCase {
    private static final int COMMITS = Campaign.size(14, 150);
    private static final int JOINED_SPLITS = 10;
    private static final int JOINED_DOCS = Campaign.size(200, 5_000);
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("merge")
                    .withMerge(
                            MergePolicy.DEFAULT
                                    .withFactors(3, 6)
                                    .withLevels(20, 1_000_000)
                                    .withPurge(1, 300_000))
                    .withCompaction(CompactionPolicy.DEFAULT.withEnabled(false))
                    .withRowsPerRead(17);

    @TempDir Path dir;
    private final long seed = Campaign.seed();
    private MergedCollection collection;

    @BeforeEach
    void create() throws IOException {
        collection = new MergedCollection(dir.resolve("a"));
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private static MergeSplits mergeOf(List<SplitRef> splits) {
        return new MergeSplits(splits.stream().map(SplitRef::ulid).toList());
    }

    @Test
    void everythingIsFoundAsBeforeAfterEveryMerge() throws IOException {
        System.out.println("merge seed: " + seed);
        Random random = new Random(seed);
        MaintenancePlanner planner = new MaintenancePlanner(OPTIONS);
        int published = 0;
        int deletedMeanwhile = 0;
        int abandoned = 0;
        int most = 0;
        for (int commit = 0; commit < COMMITS; commit++) {
            collection.change(random, 5 + random.nextInt(25), 150);
            most = Math.max(most, collection.splits().size());
            List<MaintenanceTask> tasks = planner.plan(collection.handle);
            if (tasks.isEmpty()) {
                continue;
            }
            List<FinishedWork> works = collection.run(tasks, OPTIONS);
            if (random.nextBoolean()) {
                collection.change(random, 10, 150);
            }
            Map<String, Object> before = collection.answers();
            MaintenanceOutcome outcome = collection.publish(works, OPTIONS);
            assertThat(collection.answers()).isEqualTo(before);
            collection.verify();
            published +=
                    outcome.works().stream()
                            .filter(work -> work.fate() == MaintenanceOutcome.Fate.PUBLISHED)
                            .count();
            abandoned += outcome.works().size();
            deletedMeanwhile +=
                    collection.splits().stream()
                            .filter(split -> split.mergeOps() > 0 && split.deletedCount() > 0)
                            .count();
        }
        abandoned -= published;
        Campaign.report(
                "merges",
                "| commits | merges published | abandoned | splits with documents deleted while they"
                        + " were built | most splits at once | differences and violations |\n"
                        + "|---|---|---|---|---|---|\n| "
                        + COMMITS
                        + " | "
                        + published
                        + " | "
                        + abandoned
                        + " | "
                        + deletedMeanwhile
                        + " | "
                        + most
                        + " | 0 |");
        assertThat(published).isGreaterThan(COMMITS / 4);
        assertThat(deletedMeanwhile).as("splits that were born with deletions").isPositive();
        assertThat(most).as("most splits at once").isLessThan(20);
        History history = History.of(collection.handle);
        assertThat(history.rows())
                .filteredOn(row -> row.kind() == CommitKind.MAINTENANCE)
                .hasSize(published)
                .noneMatch(HistoryRow::derived);
    }

    /** Each split counts its own words, so only equal splits must score alike. */
    @Test
    void oneSplitOfManyScoresAsOneThatWasWrittenAtOnce() throws IOException {
        Random random = new Random(seed);
        for (int commit = 0; commit < 12; commit++) {
            collection.change(random, 20, 80);
        }
        List<FinishedWork> works = collection.run(List.of(mergeOf(collection.splits())), OPTIONS);
        assertThat(collection.publish(works, OPTIONS).isComplete()).isTrue();
        assertThat(collection.splits()).hasSize(1);
        assertThat(collection.splits().get(0).deletedCount()).isZero();

        try (MergedCollection fresh = new MergedCollection(dir.resolve("b"))) {
            collection.copyTo(fresh);
            fresh.commit();
            assertThat(fresh.splits()).hasSize(1);
            assertThat(collection.rankings()).isEqualTo(fresh.rankings());
            assertThat(collection.rankings().get("river")).hasSizeGreaterThan(10);
        }
    }

    @Test
    void splitsOfNewRowsAreJoinedAndScoreAsIndexedOnes() throws IOException {
        Random random = new Random(seed);
        for (int split = 0; split < 6; split++) {
            collection.append(random, split * 100, split * 100 + 1 + random.nextInt(100));
        }
        Map<String, Object> before = collection.answers();
        MergedSplits joined = merged(mergeOf(collection.splits()), OPTIONS);
        assertThat(joined.joined()).isTrue();
        MaintenanceOutcome outcome = collection.publish(List.of(joined), OPTIONS);
        assertThat(outcome.isComplete()).isTrue();
        assertThat(outcome.works().get(0).text()).endsWith(", segments joined");
        assertThat(collection.answers()).isEqualTo(before);
        collection.verify();
        try (MergedCollection fresh = new MergedCollection(dir.resolve("b"))) {
            collection.copyTo(fresh);
            fresh.commit();
            assertThat(collection.rankings()).isEqualTo(fresh.rankings());
        }
    }

    /** The same splits indexed anew and joined in turns. */
    @Test
    void joiningTakesLessTimeThanIndexing() throws IOException {
        Random random = new Random(seed);
        for (int split = 0; split < JOINED_SPLITS; split++) {
            collection.append(random, split * JOINED_DOCS, (split + 1) * JOINED_DOCS);
        }
        MergeSplits all = mergeOf(collection.splits());
        MaintenanceOptions joining =
                OPTIONS.withRowsPerRead(MaintenanceOptions.DEFAULT_ROWS_PER_READ);
        MaintenanceOptions indexing = joining.withMerge(OPTIONS.merge().withJoin(false));
        List<Long> indexed = new ArrayList<>();
        List<Long> joined = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            long begun = System.nanoTime();
            assertThat(merged(all, indexing).joined()).isFalse();
            indexed.add((System.nanoTime() - begun) / 1_000);
            begun = System.nanoTime();
            assertThat(merged(all, joining).joined()).isTrue();
            joined.add((System.nanoTime() - begun) / 1_000);
        }
        double ratio = median(indexed) / (double) median(joined);
        Campaign.report(
                "joined merges",
                String.format(
                        Locale.ROOT,
                        "| splits | documents | rows indexed anew | segments joined | ratio |%n"
                                + "|---|---|---|---|---|%n| %d | %d | %d ms | %d ms | %.1f |%n",
                        JOINED_SPLITS,
                        JOINED_SPLITS * JOINED_DOCS,
                        median(indexed) / 1_000,
                        median(joined) / 1_000,
                        ratio));
        if (Campaign.isFull()) {
            assertThat(ratio).isGreaterThan(1.5);
        }
    }

    private MergedSplits merged(MergeSplits task, MaintenanceOptions options) throws IOException {
        return (MergedSplits) collection.run(List.of(task), options).get(0);
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    @Test
    void rowsThatAreGoneLeavePlaceholdersThatNobodyFinds() throws IOException {
        Random random = new Random(seed);
        collection.change(random, 2_000, 1_000);
        collection.change(random, 700, 1_000);
        MergeSplits purge = mergeOf(collection.splits().subList(0, 1));
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.handle)).contains(purge);
        Map<String, Object> before = collection.answers();
        List<FinishedWork> works = collection.run(List.of(purge), OPTIONS);
        assertThat(collection.publish(works, OPTIONS).isComplete()).isTrue();
        SplitRef split = collection.splits().get(0);
        assertThat(split.placeholderCount()).isGreaterThan(100).isEqualTo(split.deletedCount());
        assertThat(split.ranges()).hasSizeLessThanOrEqualTo(64);
        assertThat(collection.answers()).isEqualTo(before);
        collection.verify();
        collection.change(random, 100, 1_000);
        collection.verify();
        assertThat(new MaintenancePlanner(OPTIONS).plan(collection.handle)).isEmpty();
        before = collection.answers();
        works = collection.run(List.of(mergeOf(collection.splits())), OPTIONS);
        assertThat(collection.publish(works, OPTIONS).isComplete()).isTrue();
        assertThat(collection.answers()).isEqualTo(before);
        collection.verify();
    }

    @Test
    void splitsKeepTheFieldsTheyWereWrittenWith() throws IOException {
        Random random = new Random(seed);
        collection.change(random, 40, 60);
        collection.change(random, 40, 60);
        List<Ulid> old = collection.splits().stream().map(SplitRef::ulid).toList();
        collection
                .handle
                .metastore()
                .updateSchema(
                        collection.handle.info().id(),
                        1,
                        MergedCollection.schema(
                                2,
                                List.of(
                                        new Field(
                                                "later",
                                                "later",
                                                new FieldKind.Keyword(),
                                                true,
                                                true,
                                                false))));
        collection.restart();
        collection.change(random, 10, 60);
        collection.change(random, 10, 60);
        List<MaintenanceTask> tasks =
                new MaintenancePlanner(
                                OPTIONS.withMerge(
                                        OPTIONS.merge()
                                                .withFactors(2, 6)
                                                .withLevels(1_000, 1_000_000)
                                                .withPurge(1_000, 1_000_000)))
                        .plan(collection.handle);
        assertThat(tasks).hasSize(2).contains(new MergeSplits(old));
        long found = withLater();
        Map<String, Object> before = collection.answers();

        collection.publish(collection.run(tasks, OPTIONS), OPTIONS);

        assertThat(collection.splits()).extracting(SplitRef::schemaVersion).containsExactly(1L, 2L);
        assertThat(collection.answers()).isEqualTo(before);
        assertThat(withLater()).isEqualTo(found).isPositive();
        collection.verify();
        collection.change(random, 10, 60);
        collection.verify();
    }

    private long withLater() throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.handle)) {
            return reader.count(QueryParser.parse("later:*", collection.handle.schema()));
        }
    }

    @Test
    void aRoundMergesAndCompacts() throws IOException {
        Random random = new Random(seed);
        for (int commit = 0; commit < 7; commit++) {
            collection.change(random, 8, 500);
        }
        Map<String, Object> before = collection.answers();
        RoundReport report = new MaintenanceRound(collection.handle, OPTIONS, collection.dir).run();
        assertThat(report.progressed()).isTrue();
        assertThat(report.tasks())
                .extracting(RoundReport.TaskReport::status)
                .containsOnly(RoundReport.Status.PUBLISHED);
        assertThat(collection.dir).isEmptyDirectory();
        assertThat(collection.answers()).isEqualTo(before);
        collection.verify();
    }
}
