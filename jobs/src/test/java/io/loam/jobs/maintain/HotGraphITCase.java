package io.loam.jobs.maintain;

import io.loam.codec.CorruptException;
import io.loam.codec.json.Json;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.manifest.HotArtifactRef;
import io.loam.codec.record.Document;
import io.loam.codec.record.Operation;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Field;
import io.loam.codec.schema.CollectionSchema.FieldKind;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.codec.schema.HotConfiguration;
import io.loam.codec.testing.Campaign;
import io.loam.jobs.cli.LoamRun;
import io.loam.store.CollectionHandle;
import io.loam.store.Warehouse;
import io.loam.store.WarehouseOptions;
import io.loam.store.commit.CommitterOptions;
import io.loam.store.commit.LinkApplyCommitter;
import io.loam.store.query.QueryParser;
import io.loam.store.query.SearchQuery;
import io.loam.store.read.CollectionReader;
import io.loam.store.spi.Projection;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.testing.TestLog;
import io.loam.store.testing.TestWriter;
import io.loam.store.verify.Verifier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.annotation.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Hot graphs of every distance, built by the command and searched by readers. */
class HotGraphITCase {
    private static final int ROWS = 1_500;
    private static final int DIM = 12;
    private static final int K = 10;
    private static final int QUERIES = 15;

    @TempDir Path dir;

    private final Random random = new Random(Campaign.seed());
    private final TestLog log = new TestLog(1);
    private Warehouse warehouse;
    private CollectionHandle handle;
    private LinkApplyCommitter apply;
    private TestWriter writer;

    @BeforeEach
    void create() throws IOException {
        warehouse = Warehouse.openOrCreate(WarehouseOptions.local(dir.resolve("warehouse")));
        handle =
                warehouse.open(
                        warehouse
                                .metastore()
                                .createCollection("default", "docs", schema(), 1, null)
                                .id());
        apply = new LinkApplyCommitter(handle, CommitterOptions.of("writer"));
        writer = TestWriter.start(handle, log, Files.createDirectories(dir.resolve("work")));
        upsert(0, ROWS);
        commit();
    }

    @AfterEach
    void close() throws IOException {
        apply.close();
        handle.close();
        warehouse.close();
    }

    /** One vector for each distance, under its name. */
    private static CollectionSchema schema() {
        return new CollectionSchema(
                1,
                List.of(new Field("n", "n", new FieldKind.I64(), true, true, false)),
                Arrays.stream(Distance.values())
                        .map(
                                distance ->
                                        new Vector(
                                                distance.name(),
                                                DIM,
                                                distance,
                                                Element.F32,
                                                new VectorIndex.None(),
                                                Hnsw.DEFAULT,
                                                null))
                        .toList(),
                List.of(),
                Dynamic.IGNORE,
                CollectionSchema.DEFAULT_MAX_FIELDS,
                Map.of(HotConfiguration.KEY, HotConfiguration.print(List.of("*"))));
    }

    private void upsert(int from, int to) {
        for (int key = from; key < to; key++) {
            Map<String, float[]> vectors = new HashMap<>();
            for (Distance distance : Distance.values()) {
                // Some rows have no vector, and some one of length zero.
                if (key % 50 != 7) {
                    vectors.put(distance.name(), key % 50 == 8 ? new float[DIM] : vector());
                }
            }
            byte[] source = ("{\"n\":" + key + "}").getBytes(StandardCharsets.UTF_8);
            log.add(
                    new Operation.Upsert(
                            new Document(
                                    PrimaryKey.ofU64(key),
                                    Json.parseObject(source),
                                    vectors,
                                    Map.of())));
        }
    }

    private void delete(int from, int to) {
        for (int key = from; key < to; key++) {
            log.add(new Operation.Delete(PrimaryKey.ofU64(key)));
        }
    }

    private void commit() throws IOException {
        apply.commit(writer.checkpoint(1), false);
    }

    private float[] vector() {
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = (float) random.nextGaussian();
        }
        return vector;
    }

    private LoamRun loam(String command, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command, "docs"));
        arguments.addAll(List.of("--warehouse", dir.resolve("warehouse").toString()));
        arguments.addAll(List.of(more));
        return LoamRun.of(arguments.toArray(String[]::new));
    }

    private void maintain(String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--once",
                                "--compact",
                                "enabled=false",
                                "--merge",
                                "enabled=false"));
        arguments.addAll(List.of(more));
        loam("maintain", arguments.toArray(String[]::new)).ok();
    }

    @Test
    void isBuiltByMaintenanceAndServed() throws IOException {
        assertThat(loam("maintain", "--once").ok().out())
                .contains("published: hot graph for _vector_0 (1470 points of version 1)")
                .contains("published: hot graph for _vector_3 (1470 points of version 1)")
                .contains("version 2");
        assertThat(handle.live().manifest().kind()).isEqualTo(CommitKind.MAINTENANCE);
        assertThat(handle.live().manifest().hotArtifacts()).hasSize(4);
        served("1470 points, 0 rows deleted since, 0 newer");
        assertThat(loam("maintain", "--once").ok().out()).contains("nothing to do");
        assertThat(loam("history").ok().out()).contains("hot graph for _vector_2");
        loam("verify", "--no-log").ok();
        verified();
        String search =
                loam("search", "--vector", "EUCLID", "--like", "5", "--explain", "-k", "3")
                        .ok()
                        .out();
        assertThat(search)
                .startsWith("served by: hot graph of version 1 (1470 points")
                .contains("{\"n\":5}");
        String json =
                loam("search", "--vector", "EUCLID", "--like", "5", "--explain", "--json")
                        .ok()
                        .out();
        assertThat(json).startsWith("{\"served_by\":\"hot graph of version 1 (1470 points");
    }

    @Test
    void laterChangesAreServedBesideIt() throws IOException {
        maintain();
        delete(100, 400);
        upsert(300, 350); // come back as new rows
        upsert(ROWS, ROWS + 60);
        commit();
        upsert(10, 20);
        commit();
        served("1470 points, 310 rows deleted since, 120 newer");
        verified();
        maintain();
        assertThat(handle.live().manifest().version()).as("not stale for long").isEqualTo(4);
        maintain("--hot", "stale-ms=0");
        served("0 rows deleted since, 0 newer");
        assertThat(handle.live().manifest().hotArtifacts())
                .extracting(HotArtifactRef::sourceVersion)
                .containsOnly(4L);
        verified();
    }

    @Test
    void aGraphOutlivesMergesAndCompactions() throws IOException {
        maintain();
        delete(0, 700);
        commit();
        upsert(ROWS, ROWS + 10);
        commit();
        loam("maintain", "--once", "--merge", "factor=2", "--merge", "purge-min-deleted=1").ok();
        assertThat(handle.live().manifest().splits()).hasSize(1);
        served("700 rows deleted since, 10 newer");
        verified();
    }

    @Test
    void aDamagedObjectIsNamedAndBuiltAnew() throws IOException {
        maintain();
        String prefix = handle.live().manifest().hotArtifacts().get(0).prefix();
        for (Path file : files(prefix)) {
            byte[] whole = Files.readAllBytes(file);
            byte[] flipped = whole.clone();
            // A single bit may be one that means nothing to zstd.
            int from = random.nextInt(Math.max(1, whole.length - 8));
            for (int at = from; at < Math.min(whole.length, from + 8); at++) {
                flipped[at] ^= (byte) 0xff;
            }
            for (byte[] damaged :
                    List.of(flipped, Arrays.copyOf(whole, whole.length / 2), new byte[0])) {
                Files.write(file, damaged);
                try (CollectionHandle fresh = warehouse.open(handle.info().id());
                        CollectionReader reader = CollectionReader.open(fresh)) {
                    assertThatThrownBy(() -> search(reader, Distance.COSINE, vector(), null))
                            .isInstanceOf(CorruptException.class)
                            .hasMessageContaining(name(file));
                    assertThat(
                                    reader.nearest(
                                            "COSINE",
                                            vector(),
                                            K,
                                            null,
                                            SearchEffort.EXACT,
                                            Projection.KEYS))
                            .hasSize(K);
                }
            }
            assertThat(Verifier.againstLog(handle, log).violations())
                    .anySatisfy(found -> assertThat(found).contains(name(file)));
            Files.write(file, whole);
        }
        maintain();
        assertThat(handle.live().manifest().version()).isEqualTo(2);
        Files.delete(files(prefix).get(2));
        maintain();
        assertThat(handle.live().manifest().version()).isEqualTo(3);
        served("0 newer");
    }

    /** Without the number of a chunk. */
    private static String name(Path file) {
        return file.getFileName().toString().replaceFirst("\\.\\d{6}$", "");
    }

    private List<Path> files(String prefix) throws IOException {
        try (Stream<Path> walk = Files.walk(dir.resolve("warehouse").resolve(prefix))) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private void verified() throws IOException {
        assertThat(Verifier.againstLog(handle, log).violations()).isEmpty();
    }

    /** By every distance, with and without a filter: as an exact search finds it. */
    private void served(String state) throws IOException {
        SearchQuery most = QueryParser.parse("n<1400", schema());
        try (CollectionReader reader = CollectionReader.open(handle)) {
            for (Distance distance : Distance.values()) {
                assertThat(reader.explainNearest(distance.name(), false, SearchEffort.DEFAULT))
                        .startsWith("hot graph of version ")
                        .contains(state);
                for (SearchQuery filter : Arrays.asList(null, most)) {
                    assertThat(recall(reader, distance, filter))
                            .as(distance + " where " + filter)
                            .isGreaterThanOrEqualTo(0.95);
                }
            }
        }
    }

    private double recall(CollectionReader reader, Distance distance, @Nullable SearchQuery filter)
            throws IOException {
        int found = 0;
        for (int i = 0; i < QUERIES; i++) {
            float[] query = vector();
            Map<PrimaryKey, Float> exact = new HashMap<>();
            for (ScoredRow row :
                    reader.nearest(
                            distance.name(),
                            query,
                            K,
                            filter,
                            SearchEffort.EXACT,
                            Projection.KEYS)) {
                exact.put(row.row().key(), row.distance());
            }
            List<ScoredRow> rows = search(reader, distance, query, filter);
            assertThat(rows).hasSize(K);
            float before = Float.NEGATIVE_INFINITY;
            for (ScoredRow row : rows) {
                assertThat(row.distance()).isGreaterThanOrEqualTo(before);
                before = row.distance();
                Float same = exact.get(row.row().key());
                if (same != null) {
                    assertThat(row.distance()).isEqualTo(same);
                    found++;
                }
            }
        }
        return found / (double) (K * QUERIES);
    }

    private List<ScoredRow> search(
            CollectionReader reader, Distance distance, float[] query, @Nullable SearchQuery filter)
            throws IOException {
        return reader.nearest(
                distance.name(), query, K, filter, SearchEffort.DEFAULT, Projection.KEYS);
    }
}
