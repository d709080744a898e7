package io.loam.jobs.maintain;

import io.loam.codec.testing.Campaign;
import io.loam.jobs.maintain.HistorySizes.Size;
import io.loam.store.chain.Retention;
import io.loam.store.gc.GcOptions;
import io.loam.store.maintain.CompactionPolicy;
import io.loam.store.maintain.IndexPolicy;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MergePolicy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of small commits of changes at random keys, by one job after the other. With side jobs
 * beside them nothing of the collection grows; policies and ages are in proportion to its size.
 */
class BoundedHistoryITCase {
    private static final int COMMITS = Campaign.size(200, 10_000);
    private static final int STRETCHES = 10;
    private static final int KEYS = 1_500;
    private static final int UPSERTS = 16;
    private static final int DELETES = 4;
    private static final Duration BETWEEN_COMMITS = Duration.ofMinutes(5);
    private static final int COMMITS_PER_ROUND = 10;
    private static final int COMMITS_PER_COLLECTION = 24;
    private static final int COMMITS_PER_JOB = 50;
    private static final MergePolicy MERGE =
            MergePolicy.DEFAULT.withLevels(100, 1_000).withPurge(10, 300_000);
    private static final CompactionPolicy COMPACTION =
            new CompactionPolicy(true, 600, 4, 100_000, 8);
    private static final IndexPolicy INDEX = new IndexPolicy(true, 500, 300, 4, 500);
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("maintenance")
                    .withMerge(MERGE)
                    .withCompaction(COMPACTION)
                    .withIndex(INDEX);
    private static final GcOptions COLLECTION =
            GcOptions.DEFAULT
                    .withGraceMs(Duration.ofMinutes(31).toMillis())
                    .withRetention(new Retention(10, Duration.ofHours(1).toMillis()));

    @TempDir Path dir;

    @Test
    void nothingGrows() throws Exception {
        long seed = Campaign.seed();
        System.out.println("bounded history seed: " + seed);
        Random random = new Random(seed);
        List<HistorySizes> stretches = new ArrayList<>();
        StringBuilder table = new StringBuilder(HistorySizes.header());
        try (LongLivedCollection collection = new LongLivedCollection(dir)) {
            for (int key = 0; key < KEYS; key++) {
                collection.upsert(key, random);
            }
            HistorySizes sizes = new HistorySizes();
            long tagged = 0;
            for (int commit = 1; commit <= COMMITS; commit++) {
                collection.pass(BETWEEN_COMMITS);
                for (int i = 0; i < UPSERTS + DELETES; i++) {
                    int key = random.nextInt(KEYS);
                    if (i < UPSERTS) {
                        collection.upsert(key, random);
                    } else {
                        collection.delete(key);
                    }
                }
                sizes.committed(collection.commit());
                if (commit == COMMITS / STRETCHES) {
                    tagged = collection.tag("early");
                }
                if (commit % COMMITS_PER_JOB == 0) {
                    collection.restart();
                }
                if (commit % COMMITS_PER_ROUND == 0) {
                    sizes.observeVersion(collection.handle);
                    collection.maintain(OPTIONS);
                }
                if (commit % COMMITS_PER_COLLECTION == 0) {
                    sizes.observeObjects(collection.handle);
                    collection.collect(COLLECTION);
                }
                if (commit % (COMMITS / STRETCHES) == 0) {
                    sizes.observeObjects(collection.handle);
                    stretches.add(sizes);
                    table.append(sizes.row(commit));
                    System.out.println(sizes.row(commit).strip());
                    sizes = new HistorySizes();
                }
            }
            collection.verify();
            collection.requireTagged("early", tagged);
            table.append(afterAWhile(collection));
        }
        Campaign.report("history", table.toString());
        bounds().forEach(
                        (size, most) ->
                                assertThat(HistorySizes.of(stretches).peak(size))
                                        .as("%s, seed %d", size, seed)
                                        .isBetween(1L, most));
        if (Campaign.isFull()) {
            HistorySizes middle = HistorySizes.of(stretches.subList(2, 6));
            HistorySizes last = HistorySizes.of(stretches.subList(6, STRETCHES));
            for (Size size : bounds().keySet()) {
                assertThat(last.peak(size))
                        .as("%s of the last 4 tenths, seed %d", size, seed)
                        .isLessThanOrEqualTo(middle.peak(size) * 5 / 4);
            }
        }
    }

    /**
     * Without a tag, and after the last commit grew old, there is one version and what it needs.
     */
    private static String afterAWhile(LongLivedCollection collection) throws Exception {
        collection.deleteTag("early");
        collection.maintain(OPTIONS);
        for (int passes = 0; passes < 2; passes++) {
            collection.pass(Duration.ofDays(8));
            collection.collect(
                    COLLECTION.withRetention(new Retention(0, Duration.ofHours(1).toMillis())));
        }
        HistorySizes left = new HistorySizes();
        left.observeVersion(collection.handle);
        left.observeObjects(collection.handle);
        assertThat(left.peak(Size.VERSIONS)).isEqualTo(1);
        collection.verify();
        return left.row(COMMITS).replaceFirst("\\| [^|]+ \\|", "| and garbage collected |");
    }

    /** What the policies promise, by what they say and what the test does alone. */
    private static Map<Size, Long> bounds() {
        // Every split of a higher level has at least the documents of the lowest; those of the
        // lowest wait for others to come, young and old ones apart.
        long splits =
                KEYS / MERGE.minLevelDocs()
                        + MERGE.mergeFactor()
                        + MERGE.maxMergeFactor()
                        + COMMITS_PER_ROUND;
        // Under one set of indexes each small fragment is larger than all smaller ones together.
        long smallOfASet = Long.SIZE - Long.numberOfLeadingZeros(COMPACTION.targetRows() / 2);
        long fragments =
                KEYS / (COMPACTION.targetRows() / 2 * 8 / 10)
                        + (INDEX.maxSegments() + 1) * smallOfASet
                        + COMMITS_PER_ROUND;
        long retained =
                (COLLECTION.retention().retentionMs() + COLLECTION.maxClockSkewMs())
                                / BETWEEN_COMMITS.toMillis()
                        + 1;
        long kept = retained + COMMITS_PER_COLLECTION;
        long versions = kept + kept / COMMITS_PER_ROUND + 1 + 1; // a round's, the tagged one
        long named = kept + COMMITS_PER_COLLECTION; // objects go a pass after their manifest
        return Map.of(
                Size.SPLITS,
                splits,
                Size.BITMAPS,
                splits,
                Size.RANGES,
                64 * splits,
                Size.MANIFEST_BYTES,
                64 * splits * 20,
                Size.FRAGMENTS,
                fragments,
                Size.DELETION_FILES,
                fragments,
                Size.SEGMENTS,
                INDEX.maxSegments() + 0L,
                Size.ROW_VERSION_BYTES,
                fragments * 1_024,
                Size.VERSIONS,
                versions,
                Size.OBJECTS,
                named * (12 + splits + fragments));
    }
}
