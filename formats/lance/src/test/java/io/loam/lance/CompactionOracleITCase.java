package io.loam.lance;

import io.loam.codec.key.PrimaryKey;
import io.loam.codec.lance.LanceFragment;
import io.loam.codec.lance.LanceManifest.Compactable;
import io.loam.codec.lance.RowIdEncoder;
import io.loam.codec.schema.CollectionSchema;
import io.loam.codec.testing.Campaign;
import io.loam.store.spi.Projection;
import io.loam.store.spi.RowCursor;
import io.loam.store.spi.RowSnapshot;
import io.loam.store.spi.StoredRow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.Test;
import org.lance.CommitBuilder;
import org.lance.Dataset;
import org.lance.FragmentMetadata;
import org.lance.ReadOptions;
import org.lance.Transaction;
import org.lance.index.DistanceType;
import org.lance.index.Index;
import org.lance.index.IndexOptions;
import org.lance.index.IndexParams;
import org.lance.index.IndexType;
import org.lance.index.scalar.BTreeIndexParams;
import org.lance.index.vector.IvfBuildParams;
import org.lance.index.vector.VectorIndexParams;
import org.lance.index.vector.VectorTrainer;
import org.lance.ipc.LanceScanner;
import org.lance.ipc.Query;
import org.lance.ipc.ScanOptions;
import org.lance.operation.CreateIndex;
import org.lance.operation.Operation;
import org.lance.operation.Update;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** lance-core reads, indexes and changes versions whose fragments we compacted. */
class CompactionOracleITCase extends OracleTestBase {
    private static final int RANDOM_COMMITS = 120;

    @Test
    void readsRandomCommitsAndCompactions() throws IOException {
        long seed = Campaign.seed();
        System.out.println("CompactionOracleITCase seed " + seed + " (replay with -Dloam.seed)");
        Random random = new Random(seed);
        int compactions = 0;
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            long next = 1L << 32;
            // An unlucky seed goes on until enough was compacted.
            for (int commit = 1; commit <= RANDOM_COMMITS || compactions <= 15; commit++) {
                CollectionSchema schema = schema(Math.min(commit / 40, 2), 1);
                next += random.nextInt(3) == 0 ? 1L << 32 : random.nextInt(50);
                int added = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(30);
                append(dataset, schema, random, next, added, someLive(random));
                next += added;
                List<Long> group = group(dataset, random);
                if (!group.isEmpty()) {
                    dataset.compact(schema, group);
                    compactions++;
                }
                if (commit % 10 == 0) {
                    assertSame(dataset, schema);
                }
            }
        }
    }

    /** Any fragments, now and then. */
    private static List<Long> group(LanceDataset dataset, Random random) throws IOException {
        if (random.nextInt(4) > 0) {
            return List.of();
        }
        return dataset.manifest().fragments().stream()
                .filter(fragment -> random.nextInt(2) == 0)
                .map(LanceFragment::id)
                .toList();
    }

    @Test
    void readsEveryEncodingOfRowIds() throws IOException {
        Random random = new Random(3);
        CollectionSchema schema = schema(0, 0);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            // Holes, a bitmap, a sorted array, a range of its own, and far away a single row.
            double[] deleted = {0.01, 0.5, 0.995, 0};
            int rows = 3000;
            for (int i = 0; i < deleted.length; i++) {
                long first = (i + 1L) << 33;
                append(dataset, schema, random, first, rows, new long[0]);
                double share = deleted[i];
                long[] gone =
                        LongStream.range(first, first + rows)
                                .filter(id -> random.nextDouble() < share)
                                .toArray();
                commit(dataset, schema, 0, List.of(), gone);
            }
            append(dataset, schema, random, 1L << 45, 1, new long[0]);
            dataset.compact(
                    schema, dataset.manifest().fragments().stream().map(f -> f.id()).toList());
            assertThat(dataset.manifest().fragments()).hasSize(1);
            assertSame(dataset, schema);
            long[] some =
                    model.keySet().stream()
                            .filter(id -> random.nextInt(50) == 0)
                            .mapToLong(Long::longValue)
                            .toArray();
            commit(dataset, schema, 0, List.of(), some);
            assertSame(dataset, schema);
            long id = dataset.manifest().fragments().get(0).id();
            assertThat(RowIdEncoder.encode(dataset.manifest().rowIds(id)).length).isLessThan(1500);
        }
    }

    @Test
    void lanceDeletesOnTop() throws IOException {
        Random random = new Random(4);
        CollectionSchema schema = schema(1, 1);
        try (LanceDataset dataset = new LanceDataset(folder, random);
                BufferAllocator allocator = new RootAllocator()) {
            append(dataset, schema, random, 100, 20, new long[] {104, 105});
            append(dataset, schema, random, 300, 20, new long[] {300, 119});
            dataset.compact(schema, List.of(1L, 2L));
            commit(dataset, schema, 0, List.of(), 110);
            long parent = dataset.version;
            try (Dataset opened = open(dataset, allocator)) {
                // Offset 3 is row 103; row 110 is deleted already.
                FragmentMetadata changed = opened.getFragments().get(0).deleteRows(List.of(3));
                dataset.version =
                        commit(
                                opened,
                                parent,
                                Update.builder().updatedFragments(List.of(changed)).build());
            }
            model.remove(103L);
            assertSame(dataset, schema);
            assertThat(dataset.manifest().nextRowId()).isEqualTo(320);
            append(dataset, schema, random, 400, 5, new long[] {101});
            dataset.compact(schema, List.of(3L, 4L));
            assertSame(dataset, schema);
        }
    }

    @Test
    void indexesGoOnCoveringRowsThatMoved() throws Exception {
        Random random = new Random(5);
        CollectionSchema schema = schema(1, 0, CollectionSchema.Distance.EUCLID);
        try (LanceDataset dataset = new LanceDataset(folder, random);
                BufferAllocator allocator = new RootAllocator()) {
            for (int i = 1; i <= 4; i++) {
                append(dataset, schema, random, i * 1000L, 300, new long[0]);
            }
            index(dataset, allocator);
            append(dataset, schema, random, 9000, 50, new long[0]);
            assertThat(dataset.manifest().compactable())
                    .extracting(fragment -> fragment.indexes().size())
                    .containsExactly(2, 2, 2, 2, 0);
            long[] gone = someLive(random);
            commit(dataset, schema, 0, List.of(), gone);
            float[] query = vector(random);
            List<Long> nearest = nearest(dataset, allocator, query);
            long key = model.keySet().iterator().next();
            List<Long> found = byKey(dataset, allocator, key);
            assertThat(found).containsExactly(key);

            dataset.compact(schema, List.of(1L, 2L, 3L));

            List<Compactable> fragments = dataset.manifest().compactable();
            assertThat(fragments)
                    .extracting(fragment -> fragment.fragment().id())
                    .containsExactly(6L, 4L, 5L);
            Set<UUID> both = fragments.get(0).indexes();
            assertThat(both).hasSize(2).isEqualTo(fragments.get(1).indexes());
            try (Dataset opened = open(dataset, allocator)) {
                assertThat(opened.getIndexes())
                        .hasSize(2)
                        .allSatisfy(
                                index ->
                                        assertThat(index.fragments().orElseThrow())
                                                .containsExactlyInAnyOrder(4, 6));
            }
            assertThat(nearest(dataset, allocator, query)).isEqualTo(nearest);
            for (long id : model.keySet()) {
                if (random.nextInt(20) == 0) {
                    assertThat(byKey(dataset, allocator, id)).containsExactly(id);
                }
            }
            for (long id : gone) {
                assertThat(nearest).doesNotContain(id);
            }
            assertSame(dataset, schema);
        }
    }

    private void index(LanceDataset dataset, BufferAllocator allocator) throws Exception {
        List<Integer> all = dataset.manifest().fragments().stream().map(f -> (int) f.id()).toList();
        try (Dataset opened = open(dataset, allocator)) {
            Index keys =
                    opened.createIndex(
                            IndexOptions.builder(
                                            List.of("_pk"),
                                            IndexType.BTREE,
                                            IndexParams.builder()
                                                    .setScalarIndexParams(
                                                            BTreeIndexParams.builder().build())
                                                    .build())
                                    .withIndexName("pk_btree")
                                    .withFragmentIds(all)
                                    .build());
            opened.mergeIndexMetadata(keys.uuid().toString(), IndexType.BTREE, Optional.empty());
            IvfBuildParams two =
                    new IvfBuildParams.Builder()
                            .setNumPartitions(2)
                            .setSampleRate(64)
                            .setMaxIters(5)
                            .build();
            IvfBuildParams trained =
                    new IvfBuildParams.Builder()
                            .setNumPartitions(2)
                            .setCentroids(VectorTrainer.trainIvfCentroids(opened, "_vector_0", two))
                            .build();
            Index vectors =
                    opened.createIndex(
                            IndexOptions.builder(
                                            List.of("_vector_0"),
                                            IndexType.IVF_FLAT,
                                            IndexParams.builder()
                                                    .setVectorIndexParams(
                                                            new VectorIndexParams.Builder(trained)
                                                                    .setDistanceType(
                                                                            DistanceType.L2)
                                                                    .build())
                                                    .build())
                                    .withIndexName("vec_0")
                                    .withFragmentIds(all)
                                    .build());
            dataset.version =
                    commit(
                            opened,
                            dataset.version,
                            CreateIndex.builder().withNewIndices(List.of(keys, vectors)).build());
        }
    }

    private Dataset open(LanceDataset dataset, BufferAllocator allocator) {
        return Dataset.open()
                .allocator(allocator)
                .uri(folder.resolve("warehouse").resolve(LanceDataset.ROOT).toString())
                .readOptions(new ReadOptions.Builder().setVersion(dataset.version).build())
                .build();
    }

    private static long commit(Dataset dataset, long parent, Operation operation) {
        try (Transaction transaction =
                        new Transaction.Builder()
                                .readVersion(parent)
                                .uuid(UUID.randomUUID().toString())
                                .operation(operation)
                                .build();
                Dataset made = new CommitBuilder(dataset).detached(true).execute(transaction)) {
            return made.version();
        }
    }

    private List<Long> nearest(LanceDataset dataset, BufferAllocator allocator, float[] query)
            throws Exception {
        return ids(
                dataset,
                allocator,
                new ScanOptions.Builder()
                        .nearest(
                                new Query.Builder()
                                        .setColumn("_vector_0")
                                        .setKey(query)
                                        .setK(20)
                                        .setUseIndex(true)
                                        .setMinimumNprobes(2)
                                        .build()));
    }

    private List<Long> byKey(LanceDataset dataset, BufferAllocator allocator, long id)
            throws Exception {
        PrimaryKey key = model.get(id).document().key();
        String hex = HexFormat.of().formatHex(key.canonical());
        return ids(dataset, allocator, new ScanOptions.Builder().filter("_pk = X'" + hex + "'"));
    }

    private List<Long> ids(
            LanceDataset dataset, BufferAllocator allocator, ScanOptions.Builder options)
            throws Exception {
        List<Long> ids = new ArrayList<>();
        try (Dataset opened = open(dataset, allocator);
                LanceScanner scanner =
                        opened.newScan(
                                options.columns(List.of("_ingest_offset"))
                                        .withRowId(true)
                                        .build());
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
    void scansFileByFileAfterIt() throws IOException {
        Random random = new Random(6);
        CollectionSchema schema = schema(0, 0);
        try (LanceDataset dataset = new LanceDataset(folder, random)) {
            for (int i = 0; i < 6; i++) {
                append(dataset, schema, random, 10 + i * 100L, 9, new long[0]);
            }
            dataset.compact(schema, List.of(2L, 5L));
            try (RowSnapshot rows = dataset.rows.open(dataset.version, schema);
                    RowCursor cursor = rows.scanFile(Projection.KEYS, 7)) {
                List<Long> ids = new ArrayList<>();
                for (StoredRow row = cursor.next(); row != null; row = cursor.next()) {
                    ids.add(row.rowId());
                }
                assertThat(ids).hasSize(18).isSorted().startsWith(110L).endsWith(418L);
            }
        }
    }
}
