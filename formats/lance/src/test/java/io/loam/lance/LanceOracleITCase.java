package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.lance.LanceManifestEdit.Edited;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.testing.Campaign;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowFileWriter.Written;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.StoredRow;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** lance-core is the oracle: it must read what our manifest writer wrote exactly as we meant it. */
class LanceOracleITCase extends OracleTestBase {
    private static final int RANDOM_COMMITS = 200;

    @Test
    void readsAppendsUpdatesAndDeletesOfWholeFragments() throws IOException {
        Random random = new Random(1);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema(0, 0), random, 1000, 5, new long[0]);
            assertSame(dataset, schema(0, 0));
            append(dataset, schema(0, 0), random, 7000, 5, new long[] {1001, 1003});
            assertSame(dataset, schema(0, 0));
            Edited edited = commit(dataset, schema(0, 0), 0, List.of(), 1000, 1002, 1004);
            assertThat(edited.removedFragments()).containsExactly(1L);
            assertSame(dataset, schema(0, 0));
            commit(dataset, schema(0, 0), 0, List.of(), 7000, 7001, 7002, 7003, 7004);
            assertSame(dataset, schema(0, 0));
            assertThat(dataset.manifest().fragments()).isEmpty();
            assertThat(dataset.manifest().nextRowId()).isEqualTo(7005);
        }
    }

    @Test
    void deletesRowsOfTheSameCommitAtBirth() throws IOException {
        Random random = new Random(2);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema(1, 0), random, 100, 4, new long[] {101, 102});
            assertSame(dataset, schema(1, 0));
            append(dataset, schema(1, 0), random, 200, 2, new long[] {200, 201});
            assertSame(dataset, schema(1, 0));
            assertThat(dataset.manifest().fragments()).hasSize(1);
        }
    }

    @Test
    void readsColumnsThatOlderFragmentsLackAsAbsent() throws IOException {
        Random random = new Random(3);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema(0, 1), random, 0, 10, new long[0]);
            append(dataset, schema(1, 1), random, 50, 10, new long[] {3});
            append(dataset, schema(2, 1), random, 90, 10, new long[] {55});
            assertSame(dataset, schema(2, 1));
        }
    }

    @Test
    void readsTwoHundredRandomCommits() throws IOException {
        long seed = Campaign.seed();
        System.out.println("LanceOracleITCase seed " + seed + " (replay with -Dloam.seed)");
        Random random = new Random(seed);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            long next = 1L << 32;
            for (int commit = 1; commit <= RANDOM_COMMITS; commit++) {
                CollectionSchema schema = schema(Math.min(commit / 40, 2), 1);
                next += random.nextInt(3) == 0 ? 1L << 32 : random.nextInt(50);
                int added = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(30);
                append(dataset, schema, random, next, added, someLive(random));
                next += added;
                if (commit % 20 == 0 || commit == RANDOM_COMMITS) {
                    assertSame(dataset, schema);
                }
            }
        }
    }

    @Test
    void refusesToDeleteWhatIsNotThere() throws IOException {
        Random random = new Random(4);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema(0, 0), random, 10, 5, new long[] {12});
            assertThatThrownBy(() -> commit(dataset, schema(0, 0), 0, List.of(), 15))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("no row has the id 15");
            assertThatThrownBy(() -> commit(dataset, schema(0, 0), 0, List.of(), 12))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("row 12 is deleted already");
        }
    }

    @Test
    void readsADataFileNoVersionNames() throws IOException {
        Random random = new Random(5);
        CollectionSchema schema = schema(1, 1);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            List<Row> added = rows(schema, random, 500, 7);
            Path file = folder.resolve("unit.lance");
            Written written = dataset.write(file, schema, added);
            dataset.objects.putFile(LanceDataset.ROOT + "/data/unit.lance", file);
            assertThat(written.rows()).isEqualTo(7);
            try (RowSnapshot unit = dataset.rows.openFile("unit.lance", 500, 7, schema)) {
                assertThat(unit.countRows()).isEqualTo(7);
                List<StoredRow> taken = unit.take(new long[] {506, 500, 507, 499}, Projection.ALL);
                assertThat(taken).extracting(StoredRow::rowId).containsExactly(506L, 500L);
                assertEqual(taken.get(0), added.get(6));
                assertEqual(taken.get(1), added.get(0));
                try (RowCursor cursor = unit.scan(Projection.ALL, 0, 1)) {
                    for (int i = 0; i < 7; i++) {
                        StoredRow row = cursor.next();
                        assertThat(row.rowId()).isEqualTo(500 + i);
                        assertEqual(row, added.get(i));
                    }
                    assertThat(cursor.next()).isNull();
                }
            }
        }
    }

    @Test
    void findsTheNearestRowsAsBruteForceDoes() throws IOException {
        Random random = new Random(6);
        for (Distance distance : Distance.values()) {
            model.clear();
            CollectionSchema schema = schema(1, 0, distance);
            try (LanceDataset dataset = new LanceDataset(folder.resolve(distance.name()), random)) {
                append(dataset, schema, random, 0, 200, new long[0]);
                append(dataset, schema, random, 300, 100, new long[] {7, 8, 9});
                float[] query = vector(random);
                try (RowSnapshot rows = dataset.rows.open(dataset.version, schema)) {
                    List<ScoredRow> found = rows.nearest("v0", query, 10, null, Projection.SOURCES);
                    assertThat(found)
                            .extracting(scored -> scored.row().rowId())
                            .containsExactlyElementsOf(nearest(query, distance, 10));
                    long[] allowed = {0, 1, 2, 3, 7, 301};
                    assertThat(rows.nearest("v0", query, 3, allowed, Projection.KEYS))
                            .extracting(scored -> scored.row().rowId())
                            .isSubsetOf(0L, 1L, 2L, 3L, 301L);
                }
            }
        }
    }

    @Test
    void scansInShares() throws IOException {
        Random random = new Random(7);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            for (int i = 0; i < 7; i++) {
                append(dataset, schema(0, 0), random, i * 100L, 9, new long[0]);
            }
            List<Long> ids = new ArrayList<>();
            try (RowSnapshot rows = dataset.rows.open(dataset.version, schema(0, 0))) {
                for (int part = 0; part < 3; part++) {
                    try (RowCursor cursor = rows.scan(Projection.KEYS, part, 3)) {
                        for (StoredRow r = cursor.next(); r != null; r = cursor.next()) {
                            ids.add(r.rowId());
                        }
                    }
                }
            }
            assertThat(ids).containsExactlyInAnyOrderElementsOf(model.keySet());
        }
    }

    @Test
    void scansFileByFile() throws Exception {
        Random random = new Random(8);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            for (int i = 0; i < 5; i++) {
                append(dataset, schema(0, 0), random, i * 100L, 9, new long[0]);
            }
            try (RowSnapshot rows = dataset.rows.open(dataset.version, schema(0, 0))) {
                for (int file = 0; file < 7; file++) { // Lance counts from 1 here
                    List<Long> ids = new ArrayList<>();
                    try (RowCursor cursor = rows.scanFile(Projection.KEYS, file)) {
                        for (StoredRow r = cursor.next(); r != null; r = cursor.next()) {
                            ids.add(r.rowId());
                        }
                    }
                    long first = (file - 1) * 100L;
                    assertThat(ids)
                            .containsExactlyElementsOf(
                                    model.keySet().stream()
                                            .filter(id -> id >= first && id < first + 100)
                                            .sorted()
                                            .toList());
                }
            }
        }
    }

    private List<Long> nearest(float[] query, Distance distance, int k) {
        Map<Long, Double> distances = new HashMap<>();
        model.forEach(
                (id, row) -> {
                    float[] v = row.document().vectors().get("v0");
                    if (v != null) {
                        distances.put(id, (double) (float) distance(distance, query, v));
                    }
                });
        return distances.keySet().stream()
                .sorted(
                        Comparator.comparing((Long id) -> distances.get(id))
                                .thenComparing(id -> model.get(id).document().key()))
                .limit(k)
                .toList();
    }

    private static double distance(Distance distance, float[] a, float[] b) {
        double dot = 0;
        double aa = 0;
        double bb = 0;
        double squared = 0;
        double absolute = 0;
        for (int i = 0; i < a.length; i++) {
            dot += (double) a[i] * b[i];
            aa += (double) a[i] * a[i];
            bb += (double) b[i] * b[i];
            squared += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
            absolute += Math.abs((double) a[i] - b[i]);
        }
        switch (distance) {
            case COSINE:
                return 1 - dot / (Math.sqrt(aa) * Math.sqrt(bb));
            case DOT:
                return -dot;
            case EUCLID:
                return squared;
            default:
                return absolute;
        }
    }
}
