package io.loam.lance;

import io.loam.codec.CorruptException;
import io.loam.codec.json.JsonValue.JsonObject;
import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.VectorModel;
import io.loam.codec.manifest.CollectionManifest;
import io.loam.codec.manifest.CommitKind;
import io.loam.codec.record.Document;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.schema.CollectionSchema.Distance;
import io.loam.codec.schema.CollectionSchema.Dynamic;
import io.loam.codec.schema.CollectionSchema.Element;
import io.loam.codec.schema.CollectionSchema.Hnsw;
import io.loam.codec.schema.CollectionSchema.Vector;
import io.loam.codec.schema.CollectionSchema.VectorIndex;
import io.loam.store.spi.BuiltIndex;
import io.loam.store.spi.IndexKind;
import io.loam.store.spi.IndexRequest;
import io.loam.store.spi.Projection;
import io.loam.store.spi.Row;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.ScoredRow;
import io.loam.store.spi.SearchEffort;
import io.loam.store.spi.StoredRow;
import io.loam.store.spi.TooFewRowsException;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.lance.Dataset;
import org.lance.ReadOptions;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.ScanOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Segments built by lance-core and named by versions of ours, which lance-core then searches. */
class IndexOracleITCase {
    static final int DIM = 32;
    static final Distance L2 = Distance.EUCLID;
    private static final int K = 10;
    private static final int QUERIES = 40;

    @TempDir Path folder;

    private final Random random = new Random(20261201);
    private final float[][] clusters = clusters();
    private float noise = 0.3f;
    private int keys;

    @ParameterizedTest
    @CsvSource({
        "IVF_PQ, EUCLID, 8",
        "IVF_PQ, COSINE, 8",
        "IVF_PQ, DOT, 8",
        "IVF_PQ, EUCLID, 4",
        "IVF_HNSW_SQ, EUCLID, 0",
        "IVF_HNSW_SQ, COSINE, 0",
        "IVF_RQ, EUCLID, 1",
        "IVF_RQ, COSINE, 1"
    })
    void findsWhatAnExactSearchFinds(IndexKind kind, Distance distance, int bits)
            throws IOException {
        CollectionSchema schema = schema(distance);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            for (int i = 1; i <= 3; i++) {
                append(dataset, schema, i * 10_000L, 1500);
            }
            build(dataset, schema, request(kind, distance, bits, all(dataset), null));
            assertThat(recall(dataset, schema, new SearchEffort(false, 1, 1)))
                    .as("by one partition only")
                    .isLessThan(0.95);
            double alone = recall(dataset, schema);
            // Rows that no segment covers, and rows that are deleted.
            append(dataset, schema, 50_000, 300);
            dataset.commit(schema, 0, List.of(), deletions());
            double later = recall(dataset, schema);
            System.out.println(kind + " " + distance + " " + bits + ": " + alone + " " + later);
            // Lance rotates at random for IVF_RQ.
            double least = kind == IndexKind.IVF_RQ ? 0.9 : 0.95;
            assertThat(alone).isGreaterThanOrEqualTo(least);
            assertThat(later).isGreaterThanOrEqualTo(least);
        }
    }

    /** From no row to all of them, near the query, far from it, and anywhere. */
    @Test
    void aFilterLeavesTheNearestOfWhatItAllows() throws IOException {
        CollectionSchema schema = schema(Distance.COSINE);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            for (int i = 1; i <= 4; i++) {
                append(dataset, schema, i * 10_000L, 2_500);
            }
            build(
                    dataset,
                    schema,
                    request(IndexKind.IVF_PQ, Distance.COSINE, 8, all(dataset), null));
            append(dataset, schema, 50_000, 300);
            dataset.commit(schema, 0, List.of(), deletions());
            try (RowSnapshot rows = dataset.rows.open(dataset.version, schema)) {
                assertThat(
                                rows.nearest(
                                        "v",
                                        vector(),
                                        K,
                                        new long[0],
                                        SearchEffort.DEFAULT,
                                        Projection.KEYS))
                        .isEmpty();
                assertThat(
                                recall(
                                        rows,
                                        new SearchEffort(false, 1, 1),
                                        query -> anywhere(rows, 0.5)))
                        .as("by few candidates of one or two partitions")
                        .isLessThan(0.95);
                for (double share : new double[] {0.0003, 0.05, 0.15, 0.5, 0.9, 1}) {
                    double recall =
                            recall(rows, SearchEffort.DEFAULT, query -> anywhere(rows, share));
                    System.out.println("filter " + share + ": " + recall);
                    assertThat(recall).as("share " + share).isGreaterThanOrEqualTo(0.95);
                }
                for (boolean near : new boolean[] {true, false}) {
                    double recall =
                            recall(rows, SearchEffort.DEFAULT, query -> half(rows, query, near));
                    System.out.println("filter near " + near + ": " + recall);
                    assertThat(recall).as("near " + near).isGreaterThanOrEqualTo(0.95);
                }
            }
        }
    }

    private interface Filter {
        long[] of(float[] query) throws IOException;
    }

    private double recall(RowSnapshot rows, SearchEffort effort, Filter filter) throws IOException {
        int found = 0;
        int there = 0;
        for (int i = 0; i < QUERIES / 4; i++) {
            float[] query = vector();
            long[] allowed = filter.of(query);
            List<ScoredRow> exact = rows.nearest("v", query, K, allowed, Projection.KEYS);
            List<ScoredRow> fast = rows.nearest("v", query, K, allowed, effort, Projection.KEYS);
            assertThat(fast).hasSameSizeAs(exact);
            assertThat(fast)
                    .allMatch(s -> Arrays.binarySearch(allowed, s.row().rowId()) >= 0)
                    .isSortedAccordingTo(Comparator.comparing(ScoredRow::distance));
            there += exact.size();
            Set<Long> ids = exact.stream().map(s -> s.row().rowId()).collect(Collectors.toSet());
            found += (int) fast.stream().filter(s -> ids.contains(s.row().rowId())).count();
        }
        assertThat(there).isPositive();
        return found / (double) there;
    }

    private long[] anywhere(RowSnapshot rows, double share) throws IOException {
        List<Long> ids = new ArrayList<>();
        try (RowCursor cursor = rows.scan(Projection.KEYS, 0, 1)) {
            for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                ids.add(row.rowId());
            }
        }
        Collections.shuffle(ids, random);
        return ids.stream()
                .limit(Math.max(3, Math.round(share * ids.size())))
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    /** The nearer or the farther half of all rows that have a vector. */
    private static long[] half(RowSnapshot rows, float[] query, boolean near) throws IOException {
        List<ScoredRow> ordered = rows.nearest("v", query, 20_000, null, Projection.KEYS);
        int middle = ordered.size() / 2;
        return (near ? ordered.subList(0, middle) : ordered.subList(middle, ordered.size()))
                .stream().mapToLong(s -> s.row().rowId()).sorted().toArray();
    }

    @Test
    void aLaterSegmentUsesWhatTheFirstWasTrainedToAndRowsMayMove() throws IOException {
        CollectionSchema schema = schema(L2);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema, 10_000, 1500);
            append(dataset, schema, 20_000, 1500);
            BuiltIndex first =
                    build(dataset, schema, request(IndexKind.IVF_PQ, L2, 8, all(dataset), null));
            append(dataset, schema, 30_000, 200);
            append(dataset, schema, 40_000, 200);
            BuiltIndex second =
                    build(
                            dataset,
                            schema,
                            request(
                                    IndexKind.IVF_PQ,
                                    L2,
                                    8,
                                    List.of(3L, 4L),
                                    first.segment().id()));
            assertThat(second.partitions()).isEqualTo(first.partitions()).isEqualTo(52);
            assertThat(second.rows()).isEqualTo(354);
            assertThat(recall(dataset, schema)).isGreaterThanOrEqualTo(0.95);
            assertThat(recall(dataset, schema, new SearchEffort(false, 1, 1))).isLessThan(0.95);
            dataset.commit(schema, 0, List.of(), deletions());
            dataset.compact(schema, List.of(1L, 2L));
            dataset.compact(schema, List.of(3L, 4L));
            assertThat(recall(dataset, schema)).isGreaterThanOrEqualTo(0.95);
            assertThat(dataset.manifest().compactable())
                    .hasSize(2)
                    .allSatisfy(fragment -> assertThat(fragment.indexes()).hasSize(1));
            // All anew, in the place of both.
            IndexRequest anew = request(IndexKind.IVF_PQ, L2, 8, all(dataset), null);
            BuiltIndex third = dataset.rows.buildIndex(manifest(dataset), schema, anew);
            dataset.index(
                    third.segment().encode(anew.fragments()),
                    Set.of(first.segment().id(), second.segment().id()));
            assertThat(dataset.manifest().indexIds()).containsExactly(anew.id());
            assertThat(recall(dataset, schema)).isGreaterThanOrEqualTo(0.95);
        }
    }

    @Test
    void rowsThatAreInASegmentWhichDoesNotCoverThemComeOnce() throws IOException {
        CollectionSchema schema = schema(L2);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema, 10_000, 1500);
            append(dataset, schema, 20_000, 1500);
            IndexRequest request = request(IndexKind.IVF_PQ, L2, 8, all(dataset), null);
            BuiltIndex built = dataset.rows.buildIndex(manifest(dataset), schema, request);
            dataset.index(built.segment().encode(List.of(1L)), Set.of());
            assertThat(recall(dataset, schema)).isGreaterThanOrEqualTo(0.95);
        }
    }

    @Test
    void findsKeysByTheirIndex() throws Exception {
        CollectionSchema schema = schema(L2);
        try (LanceDataset dataset = new LanceDataset(folder, random);
                BufferAllocator allocator = new RootAllocator()) {
            append(dataset, schema, 10_000, 3000);
            append(dataset, schema, 20_000, 3000);
            IndexRequest request =
                    new IndexRequest(
                            UUID.randomUUID(),
                            "pk_btree",
                            "_pk",
                            IndexKind.BTREE,
                            null,
                            all(dataset),
                            null);
            BuiltIndex built = build(dataset, schema, request);
            assertThat(built.rows()).isEqualTo(6000);
            append(dataset, schema, 30_000, 10);
            dataset.commit(schema, 0, List.of(), deletions());
            dataset.compact(schema, List.of(1L, 2L));
            try (Dataset opened =
                    Dataset.open()
                            .allocator(allocator)
                            .uri(folder.resolve("warehouse").resolve(LanceDataset.ROOT).toString())
                            .readOptions(
                                    new ReadOptions.Builder().setVersion(dataset.version).build())
                            .build()) {
                assertThat(opened.getIndexes())
                        .singleElement()
                        .satisfies(
                                index -> {
                                    assertThat(index.name()).isEqualTo("pk_btree");
                                    assertThat(index.fragments().orElseThrow()).containsExactly(4);
                                });
                assertThat(rowsOf(opened, "key-1")).containsExactly(10_001L);
                assertThat(rowsOf(opened, "key-3")).as("deleted").isEmpty();
                assertThat(rowsOf(opened, "key-5999")).containsExactly(22_999L);
                assertThat(rowsOf(opened, "key-6005")).as("not covered").containsExactly(30_005L);
                assertThat(rowsOf(opened, "nobody")).isEmpty();
            }
            try (RowSnapshot rows = dataset.rows.open(dataset.version, schema)) {
                assertThat(rowsOf(rows, "key-1")).containsExactly(10_001L);
                assertThat(rowsOf(rows, "key-3")).as("deleted").isEmpty();
                assertThat(rowsOf(rows, "key-5999")).containsExactly(22_999L);
                assertThat(rowsOf(rows, "key-6005")).as("not covered").containsExactly(30_005L);
                assertThat(rowsOf(rows, "nobody")).isEmpty();
            }
        }
    }

    /** A dataset with an index of vectors in a folder: its version, and the segment. */
    static String[] indexed(Path folder, Random random) throws IOException {
        IndexOracleITCase maker = new IndexOracleITCase();
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            UUID segment = maker.indexed(dataset, IndexKind.IVF_PQ);
            return new String[] {Long.toString(dataset.version), segment.toString()};
        }
    }

    private UUID indexed(LanceDataset dataset, IndexKind kind) throws IOException {
        append(dataset, schema(L2), 10_000, 1500);
        IndexRequest request = request(kind, L2, bits(kind), all(dataset), null);
        build(dataset, schema(L2), request);
        return request.id();
    }

    private static int bits(IndexKind kind) {
        return switch (kind) {
            case IVF_PQ -> 8;
            case IVF_RQ -> 1;
            default -> 0;
        };
    }

    /**
     * The version of a dataset whose vectors lie close to 50 points, some of its rows deleted. Its
     * index has one segment or two, with partitions of their own.
     */
    static long ofPoints(Path folder, Random random, IndexKind kind, int segments)
            throws IOException {
        IndexOracleITCase maker = new IndexOracleITCase();
        maker.noise = 0.001f;
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            maker.indexed(dataset, kind);
            if (segments > 1) {
                maker.append(dataset, schema(L2), 20_000, 400);
                maker.build(
                        dataset,
                        schema(L2),
                        maker.request(kind, L2, bits(kind), List.of(2L), null));
            }
            dataset.commit(schema(L2), 0, List.of(), deletions());
            return dataset.version;
        }
    }

    private static long[] rowsOf(RowSnapshot rows, String key) throws IOException {
        return rows.rowsOfKey(PrimaryKey.ofString(key));
    }

    private static List<Long> rowsOf(Dataset dataset, String key) throws Exception {
        String hex = HexFormat.of().formatHex(PrimaryKey.ofString(key).canonical());
        List<Long> ids = new ArrayList<>();
        ScanOptions options =
                new ScanOptions.Builder()
                        .columns(List.of("_ingest_offset"))
                        .filter("_pk = X'" + hex + "'")
                        .withRowId(true)
                        .build();
        try (LanceScanner scanner = dataset.newScan(options);
                ArrowReader reader = scanner.scanBatches()) {
            while (reader.loadNextBatch()) {
                UInt8Vector column = (UInt8Vector) reader.getVectorSchemaRoot().getVector("_rowid");
                for (int i = 0; i < column.getValueCount(); i++) {
                    ids.add(column.get(i));
                }
            }
        }
        return ids;
    }

    @Test
    void tooFewVectorsAreNotIndexed() throws IOException {
        CollectionSchema schema = schema(L2);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema, 10_000, 280);
            IndexRequest request = request(IndexKind.IVF_PQ, L2, 8, all(dataset), null);
            assertThatThrownBy(() -> dataset.rows.buildIndex(manifest(dataset), schema, request))
                    .isInstanceOf(TooFewRowsException.class)
                    .hasMessageContaining("only 248 rows");
        }
    }

    @Test
    void aModelOfAnotherShapeNeverReachesNativeCode() throws IOException {
        CollectionSchema schema = schema(L2);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            append(dataset, schema, 10_000, 600);
            UUID other = UUID.randomUUID();
            dataset.objects.put(
                    LanceDataset.ROOT + "/_indices/" + other + "/" + VectorModel.FILE,
                    new VectorModel(DIM, new float[DIM], new float[7]).encode());
            IndexRequest request = request(IndexKind.IVF_PQ, L2, 8, all(dataset), other);
            assertThatThrownBy(() -> dataset.rows.buildIndex(manifest(dataset), schema, request))
                    .isInstanceOf(CorruptException.class)
                    .hasMessageContaining("7 numbers of codes");
        }
    }

    private static long[] deletions() {
        long[] gone = new long[400];
        for (int i = 0; i < gone.length; i++) {
            gone[i] = 10_000L + 3 * i;
        }
        return gone;
    }

    private IndexRequest request(
            IndexKind kind, Distance distance, int bits, List<Long> fragments, UUID trained) {
        return new IndexRequest(
                new UUID(random.nextLong(), random.nextLong()),
                "vec_0",
                "_vector_0",
                kind,
                new IndexRequest.Vectors(DIM, distance, null, null, bits),
                fragments,
                trained);
    }

    private static List<Long> all(LanceDataset dataset) throws IOException {
        return dataset.manifest().fragments().stream().map(LanceFragment::id).toList();
    }

    private BuiltIndex build(LanceDataset dataset, CollectionSchema schema, IndexRequest request)
            throws IOException {
        BuiltIndex built = dataset.rows.buildIndex(manifest(dataset), schema, request);
        dataset.index(built.segment().encode(request.fragments()), Set.of());
        return built;
    }

    private double recall(LanceDataset dataset, CollectionSchema schema) throws IOException {
        return recall(dataset, schema, SearchEffort.DEFAULT);
    }

    private double recall(LanceDataset dataset, CollectionSchema schema, SearchEffort effort)
            throws IOException {
        int found = 0;
        try (RowSnapshot rows = dataset.rows.open(dataset.version, schema)) {
            for (int i = 0; i < QUERIES; i++) {
                float[] query = vector();
                List<ScoredRow> exact = rows.nearest("v", query, K, null, Projection.KEYS);
                List<ScoredRow> fast = rows.nearest("v", query, K, null, effort, Projection.KEYS);
                assertThat(fast).hasSize(K);
                Set<Long> ids =
                        exact.stream().map(s -> s.row().rowId()).collect(Collectors.toSet());
                found += fast.stream().filter(s -> ids.contains(s.row().rowId())).count();
            }
        }
        return found / (double) (K * QUERIES);
    }

    private static CollectionManifest manifest(LanceDataset dataset) {
        return new CollectionManifest(
                1,
                0,
                1,
                1,
                0,
                dataset.version,
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                0,
                "",
                CommitKind.MAINTENANCE,
                "",
                "",
                0,
                0,
                List.of(),
                null,
                "",
                Map.of(),
                0);
    }

    private void append(LanceDataset dataset, CollectionSchema schema, long first, int count)
            throws IOException {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, float[]> vectors = i % 9 == 0 ? Map.of() : Map.of("v", vector());
            rows.add(
                    new Row(
                            new Document(
                                    PrimaryKey.ofString("key-" + keys++),
                                    new JsonObject(Map.of()),
                                    vectors,
                                    Map.of()),
                            new byte[] {'{', '}'},
                            0,
                            i));
        }
        dataset.commit(schema, first, rows, new long[0]);
    }

    private float[] vector() {
        float[] cluster = clusters[random.nextInt(clusters.length)];
        float[] vector = new float[DIM];
        for (int i = 0; i < DIM; i++) {
            vector[i] = cluster[i] + (float) random.nextGaussian() * noise;
        }
        return vector;
    }

    private float[][] clusters() {
        float[][] made = new float[50][DIM];
        for (float[] cluster : made) {
            for (int i = 0; i < DIM; i++) {
                cluster[i] = (float) random.nextGaussian();
            }
        }
        return made;
    }

    static CollectionSchema schema(Distance distance) {
        return new CollectionSchema(
                1,
                List.of(),
                List.of(
                        new Vector(
                                "v",
                                DIM,
                                distance,
                                Element.F32,
                                new VectorIndex.Auto(),
                                Hnsw.DEFAULT,
                                null)),
                List.of(),
                Dynamic.IGNORE,
                1000,
                Map.of());
    }
}
