package io.loam.jobs.maintain;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.testing.Campaign;
import io.loam.store.CollectionHandle;
import io.loam.store.maintain.IndexPolicy;
import io.loam.store.maintain.MaintenanceOptions;
import io.loam.store.maintain.MaintenanceRound;
import io.loam.store.maintain.MergePolicy;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.StoredRow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Keys looked up by their index and in splits. */
class KeyLookupITCase {
    private static final int SPLITS = 20;
    private static final int DOCS = Campaign.size(100, 5_000);
    private static final MaintenanceOptions OPTIONS =
            MaintenanceOptions.of("indexer")
                    .withMerge(MergePolicy.DEFAULT.withEnabled(false))
                    .withIndex(new IndexPolicy(true, Long.MAX_VALUE, Long.MAX_VALUE, 4, 10));

    @TempDir Path dir;
    private final long seed = Campaign.seed();
    private MergedCollection collection;

    @BeforeEach
    void create() throws IOException {
        System.out.println("loam.seed=" + seed);
        collection = new MergedCollection(dir.resolve("a"));
    }

    @AfterEach
    void close() throws IOException {
        collection.close();
    }

    private void index() throws IOException {
        assertThat(new MaintenanceRound(collection.handle, OPTIONS, collection.dir).run().tasks())
                .anyMatch(task -> task.text().contains("in pk_btree"));
    }

    /** What a look-up finds, by a reader whose splits are open or that never opened one. */
    private String found(long key, boolean splitsOpen) throws IOException {
        try (CollectionReader reader = CollectionReader.open(collection.handle)) {
            if (splitsOpen) {
                reader.count(new SearchQuery.All());
            }
            return text(reader.get(PrimaryKey.ofU64(key), Projection.SOURCES));
        }
    }

    @Test
    void theIndexFindsWhatSplitsFind() throws IOException {
        Random random = new Random(seed);
        for (int commit = 0; commit < 3; commit++) {
            collection.change(random, 60, 90);
        }
        index();
        for (int commit = 0; commit < 3; commit++) {
            compare();
            collection.change(random, 25, 100);
        }
        compare();
    }

    private void compare() throws IOException {
        int there = 0;
        for (long key = 0; key < 110; key++) {
            String expected = found(key, true);
            assertThat(found(key, false)).as("key " + key).isEqualTo(expected);
            there += expected.equals("nothing") ? 0 : 1;
        }
        assertThat(there).isBetween(30, 105);
    }

    @Test
    void aDamagedIndexIsPassedOver() throws IOException {
        Random random = new Random(seed);
        collection.change(random, 60, 60);
        collection.change(random, 60, 60);
        index();
        String expected = found(7, true);
        damage("/_indices/");
        assertThat(foundAnew(7)).isEqualTo(expected);
    }

    @Test
    void theIndexAnswersWithoutSplits() throws IOException {
        Random random = new Random(seed);
        collection.change(random, 60, 60);
        index();
        damage(".split");
        List<String> found = new ArrayList<>();
        for (long key = 0; key < 60; key++) {
            found.add(foundAnew(key));
        }
        assertThat(found).filteredOn(one -> !one.equals("nothing")).hasSizeGreaterThan(20);
    }

    private void damage(String part) throws IOException {
        int damaged = 0;
        try (Stream<Path> files = Files.walk(dir.resolve("a/warehouse"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (file.toString().contains(part)) {
                    Files.write(file, new byte[] {1, 2, 3});
                    damaged++;
                }
            }
        }
        assertThat(damaged).isPositive();
    }

    /** By a handle that has read nothing before. */
    private String foundAnew(long key) throws IOException {
        try (CollectionHandle again = collection.warehouse.open(collection.handle.info().id());
                CollectionReader reader = CollectionReader.open(again)) {
            return text(reader.get(PrimaryKey.ofU64(key), Projection.SOURCES));
        }
    }

    private static String text(Optional<StoredRow> row) {
        return row.map(one -> one.rowId() + " " + new String(one.source())).orElse("nothing");
    }

    /** The first look-up of a process, and later ones of the same reader. */
    @Test
    void aFirstLookUpReadsNoSplit() throws IOException {
        Random random = new Random(seed);
        for (int split = 0; split < SPLITS; split++) {
            collection.append(random, split * DOCS, (split + 1) * DOCS);
        }
        List<Double> first = new ArrayList<>();
        List<Double> later = new ArrayList<>();
        measure(random, first, later);
        double bySplits = median(first);
        index();
        List<Double> firstByIndex = new ArrayList<>();
        measure(random, firstByIndex, later);
        double byIndex = median(firstByIndex);
        Campaign.report(
                "first look-up",
                String.format(
                        Locale.ROOT,
                        "| splits | documents | first look-up in splits | by the index | later ones |%n"
                                + "|---|---|---|---|---|%n| %d | %d | %.1f ms | %.1f ms | %.2f ms |%n",
                        SPLITS,
                        SPLITS * DOCS,
                        bySplits,
                        byIndex,
                        median(later)));
        if (Campaign.isFull()) {
            assertThat(byIndex).isLessThan(bySplits);
        }
    }

    private void measure(Random random, List<Double> first, List<Double> later) throws IOException {
        for (int i = 0; i < 5; i++) {
            try (CollectionHandle handle =
                            collection.warehouse.open(collection.handle.info().id());
                    CollectionReader reader = CollectionReader.open(handle)) {
                first.add(lookUp(reader, random));
                for (int more = 0; more < 20; more++) {
                    double ms = lookUp(reader, random);
                    if (more >= 10) {
                        later.add(ms);
                    }
                }
            }
        }
    }

    private static double lookUp(CollectionReader reader, Random random) throws IOException {
        PrimaryKey key = PrimaryKey.ofU64(random.nextInt(SPLITS * DOCS));
        long begun = System.nanoTime();
        assertThat(reader.get(key, Projection.ALL)).isPresent();
        return (System.nanoTime() - begun) / 1e6;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }
}
